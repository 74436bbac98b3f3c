// SPDX-License-Identifier: Apache-2.0
// CAPSTAN_EXPORT marks what the shared libraries export.
//
// Everything else in them is hidden. Every class and function of a public header has the mark, so
// that exceptions and dynamic_cast work across the border of a library, also in programs that are
// compiled with -fvisibility=hidden. Templates and inline functions need no mark.
// `hack/public_headers.py --write` adds missing ones.
#pragma once

#define CAPSTAN_EXPORT [[gnu::visibility("default")]]

// Marks what one of our libraries uses of another one. It is not API: only private headers declare
// it.
#define CAPSTAN_EXPORT_INTERNAL CAPSTAN_EXPORT
