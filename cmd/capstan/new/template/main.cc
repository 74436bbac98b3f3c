#include "capstan/crd.h"
#include "capstan/manager_program.h"
#include "controller.h"
#include "widget.h"

int main(int argc, char** argv) {
  return capstan::RunManager(argc, argv,
                             {.name = "widget-operator",
                              .description = "widget-operator runs the images of Widgets.",
                              .version = "0.1.0",
                              .set_up = AddWidgetController,
                              .crds = {capstan::CustomResourceDefinition<Widget>()}});
}
