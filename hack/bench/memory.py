# SPDX-License-Identifier: Apache-2.0
"""Parts of hack/bench/injector.py: memory of a start with many Secrets, CRDs, Certificates."""
import fill
import programs
import rounds

PEAK = "peak memory, MiB"
# Of Memory's fields at rest: the figure and the allowed ratio.
AT_REST = {"anonymous": ("RssAnon at rest, MiB", 0.2),
           "files": ("RssFile at rest, MiB", 0.5)}
CRDS, CRD_KIB = 500, 100
GATE = "ReferencedSecretsOnly"
GATE_SECRETS = 100  # the base for the comparison
GATE_LIMIT = 1.1


def starts_of_both(options, cluster, what):
    """Returns (ours, the peer's): [(Memory, seconds of CPU of the API server)] of starts."""
    found = {"ours": [], "peer": []}

    def run_round():
        for program in (programs.ours(options, cluster), programs.peer(options, cluster)):
            before = programs.server_cpu_seconds(cluster)
            with program.start() as process:
                process.wait_until_idle()
                found[program.name].append((process.memory(), programs.server_cpu_seconds(cluster) - before))
    rounds.in_turn(options.rounds, run_round, what)
    return found["ours"], found["peer"]


def memory_of_both(options, cluster, what):
    """Returns (our Memory, the peer's Memory) of starts."""
    return tuple([memory for memory, _ in side] for side in starts_of_both(options, cluster, what))


def both(options, cluster, what):
    """Returns (our peak, the peer's peak) of one start each."""
    return tuple([memory.peak for memory in side] for side in memory_of_both(options, cluster, what))


def alone(options, cluster, flag, what):
    found = []
    program = programs.ours(options, cluster, flag)
    rounds.in_turn(options.rounds, lambda: found.append(program.measure()), what)
    return found


def secrets(options, cluster, table):
    """Measures all Secrets at both sizes, then only referenced Secrets."""
    fill.base(cluster)
    programs.ours(options, cluster).measure()  # the targets are in sync from now on
    gated = programs.has_gate(options, GATE)
    flag = f"--feature-gates={GATE}=true"
    filler = fill.secrets(cluster)
    filler.add(1, GATE_SECRETS)
    few = alone(options, cluster, flag, f"{GATE_SECRETS} Secrets, {GATE}") if gated else []
    for count, limit in ((options.few_secrets, 0.2), (options.many_secrets, 0.1)):
        filler.add(1, count)
        sides = memory_of_both(options, cluster, f"{count:,} Secrets")
        for field, (figure, allowed) in {"peak": (PEAK, limit), **AT_REST}.items():
            table.ratio(f"{count:,} Secrets: {figure}",
                        *([getattr(memory, field) for memory in side] for side in sides), allowed)
    if not gated:
        print(f"(this build has no gate {GATE}: its row is left out)", flush=True)
        return
    count = options.many_secrets
    many = alone(options, cluster, flag, f"{count:,} Secrets, {GATE}")
    table.ratio(f"{GATE}, {count:,} Secrets beside {GATE_SECRETS}, both ours: {PEAK}",
                many, few, GATE_LIMIT)


def crds(options, cluster, table):
    fill.base(cluster)
    fill.secrets(cluster).add(1, options.few_secrets)
    filler = fill.large_crds(cluster, CRD_KIB)
    filler.add(1, CRDS - 1)
    programs.ours(options, cluster).measure()
    what = f"{CRDS} CRDs of {CRD_KIB} KiB beside {options.few_secrets:,} Secrets"
    sides = list(starts_of_both(options, cluster, what))
    table.ratio(f"{what}: {PEAK}", *([memory.peak for memory, _ in side] for side in sides), 0.2)
    table.ratio(f"{what}: CPU of the API server, s", *([used for _, used in side] for side in sides), 0.6, digits=2)
    filler.annotate(CRDS - 1)
    programs.ours(options, cluster).measure()
    table.ratio(f"the same, all {CRDS} annotated: {PEAK}",
                *both(options, cluster, what + ", annotated"), 0.2)


def certificates(options, cluster, table):
    fill.base(cluster)
    fill.certificates(cluster).add(1, options.certificates)
    programs.ours(options, cluster).measure()
    what = f"{options.certificates:,} Certificates"
    table.ratio(f"{what}: {PEAK}", *both(options, cluster, what), 0.2)
