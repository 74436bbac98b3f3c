# SPDX-License-Identifier: Apache-2.0
"""The rules of hack/tidy.py for documents: names in documents must exist."""
import os
import re

COMMAND = re.compile(r"(?<![\w./-])((?:hack|e2e|\.ci)/[\w./-]*\w)")
FLAG = re.compile(r"(?<![\w-])--([a-z][\w-]*)")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
SPAN = re.compile(r"`([^`\n]+)`")
FOLDER = re.compile(r"([\w.-]+)/[\w./-]+")
CXX_COMMENT = re.compile(r"(?:^|\s)//\s(.*)$", re.M)
CXX_FILE = re.compile(r"(?<![\w./<-])[\w-]+(?:/[\w-]+)*[\w-]\.(?:h|cc)\b")
FILE = re.compile(r"([\w-]+(?:/[\w-]+)*\.)(h|cc|py|\{h,cc\})")
OURS = re.compile(r"\| [^|]*\| ([^|]*) \|[^|]*\|$")  # the second of three columns
NAME = re.compile(r"(?<![\w.-])[A-Za-z_]\w{3,}(?![\w-])")
# Maps from cases to tests, with the number of cases.
MAPS = {"docs/conformance.md": 58, "docs/gate-cases.md": 97, "docs/injection.md": 65}
FEATURES = "docs/library/features.md"
# Pages with tables whose last column, "test", names the tests of each row.
TESTED = (FEATURES, "docs/differences.md", "docs/test-server.md")
SCENARIO = re.compile(r"\| *(\d+) *\|([^|]*)\|([^|]*)\|([^|]*)\|$")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
CMAKE_TEST = re.compile(r"add_test\(NAME (\w+)\.")
# Other programs, whose command lines are not checked.
FOREIGN = {"cmake", "ctest", "ninja", "git", "kubectl", "helm", "apt-get", "go", "docker", "kind",
           "openssl", "clang-tidy", "kube-apiserver", "cainjector", "csi-driver", "ccache", "cosign", "skopeo"}
OWN_FLAGS = {"help", "version", "v"}


def code_of(text):
    """Yields (line number, code): the lines of fenced blocks, C++ aside, and the spans in text."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fence = line if fence is None else None
        elif fence is not None:
            if fence != "```cpp":
                yield number, line
        else:
            for span in SPAN.findall(line):
                yield number, span


def check_examples(tree, path, text):
    """Checks that a C++ block below "<!-- example: FILE -->" is a part of that built file."""
    for match in re.finditer(r"^<!-- example: (\S+) -->\n+```cpp\n(.*?)^```", text, re.M | re.S):
        if match.group(2) not in tree.text.get(match.group(1), ""):
            yield (path, text[:match.start()].count("\n") + 1, "document-example",
                   f"this code is not in {match.group(1)}")


def files_of(span):
    """Returns the file names in a span: "a.{h,cc}" are two. "foo.cc" stands for any file."""
    match = FILE.fullmatch(span)
    if match is None or os.path.basename(span).startswith("foo"):
        return []
    stem, extensions = match.groups()
    return [stem + extension for extension in extensions.strip("{}").split(",")]


def check_files(tree, path, text):
    """Checks that each source file in backticks exists, in a folder that its section links if there is one."""
    for start, section in sections(text):
        links = [os.path.normpath(os.path.join(os.path.dirname(path), target)) for target in LINK.findall(section)]
        folders = [link + "/" for link in links if any(p.startswith(link + "/") for p in tree.text)]
        for number, line in enumerate(section.split("\n"), start):
            for name in (name for span in SPAN.findall(line) for name in files_of(span)):
                if name not in tree.text and not any(
                        p.endswith("/" + name) for p in tree.text if not folders or p.startswith(tuple(folders))):
                    yield path, number, "document-file", f"{name} does not exist" + (
                        " in a folder that this section links" if folders else "")


def check_folders(tree, path, text):
    """Checks that each path in backticks that begins with a folder at the top exists."""
    tops = {p.split("/")[0] for p in tree.text if "/" in p}
    for number, line in enumerate(text.split("\n"), 1):
        for span in SPAN.findall(line):
            match = FOLDER.fullmatch(span)
            if match is None or match.group(1) not in tops or COMMAND.fullmatch(span) or span.endswith(".go"):
                continue
            if not any(p == span or p.startswith(span.rstrip("/") + "/") for p in tree.text):
                yield path, number, "document-file", f"{span} does not exist"


def check_comments(tree):
    """Checks that each source file that a C++ comment names exists."""
    known = {part for path in tree.text for part in suffixes(path)}
    for path, text in tree.cxx.items():
        for match in CXX_COMMENT.finditer(text):
            for name in CXX_FILE.findall(match.group(1)):
                if name not in known:
                    yield (path, text[:match.start(1)].count("\n") + 1, "comment-file",
                           f"{name} does not exist")


def suffixes(path):
    """Yields "a/b/c", "b/c" and "c" of "a/b/c"."""
    parts = path.split("/")
    return ("/".join(parts[i:]) for i in range(len(parts)))


def sections(text):
    """Yields the first line's number and the text of each part between two headings."""
    lines, start = text.split("\n"), 0
    for end in [n for n, line in enumerate(lines) if line.startswith("#") and n] + [len(lines)]:
        yield start + 1, "\n".join(lines[start:end])
        start = end


def check_names(tree, path, text):
    """Checks that our names on a page "From ..." exist: in the column "here"."""
    known = None
    for number, line in enumerate(text.split("\n"), 1):
        row = OURS.match(line)
        for name in NAME.findall(" ".join(SPAN.findall(row.group(1)))) if row else ():
            if known is None:
                known = {word for header, content in tree.cxx.items()
                         if header.startswith("include/") and header.endswith(".h")
                         for word in re.findall(r"\w+", content)}
            if name not in known:
                yield path, number, "document-name", f"no header of include/ has {name}"


def known_flags(tree):
    flags = set(OWN_FLAGS)
    for path, text in tree.text.items():
        if re.match(r"(cmd/[^/]+|featuregate/flags|controllers/runtime/program)/.*\.(cc|h)$", path):
            flags.update(re.findall(r'"(?:--)?([a-z][a-z0-9-]+)"', text))
        elif re.match(r"examples/.*\.cc$", path):
            flags.update(re.findall(r'\.name = "([a-z][a-z0-9-]+)",\s*\.usage', text))
        elif text.startswith("#!"):
            flags.update(FLAG.findall(text))
    return flags


def check_map(path, text, cases, tests):
    numbers = []
    for number, line in enumerate(text.split("\n"), 1):
        row = SCENARIO.match(line)
        if row is None:
            continue
        numbers.append(int(row.group(1)))
        named = SPAN.findall(row.group(3))
        for name in named:
            if name not in tests:
                yield path, number, "conformance-test", f"{name} is not a test"
        if not named and not row.group(4).strip().startswith("Does not apply: "):
            yield (path, number, "conformance-reason",
                   f"number {row.group(1)} has neither a test nor a reason")
    if sorted(numbers) != list(range(1, cases + 1)):
        wrong = [n for n in range(cases + 1) if numbers.count(n) != min(n, 1)]
        wrong += sorted(n for n in set(numbers) if n > cases)
        yield (path, 1, "conformance-number", f"not exactly once: {' '.join(map(str, wrong))}")


def check_conformance(tree):
    """Checks the maps: every number appears once, and every test or scenario exists."""
    tests = {".".join(name) for path, text in tree.cxx.items() if path.endswith("_test.cc")
             for name in TEST.findall(text)}
    tests.update(path for path in tree.text
                 if path.startswith(("e2e/scenarios/", "hack/chart/tests/")))
    for path, cases in MAPS.items():
        if path in tree.text:
            yield from check_map(path, tree.text[path], cases, tests)


def last_cell(line):
    return line.rstrip("|").rsplit(" | ", 1)[-1]


def tested_rows(text):
    """Yields (line number, line) of the rows of tables whose last column is "test"."""
    above, is_tested = "", False
    for number, line in enumerate(text.split("\n"), 1):
        if not above.startswith("|"):
            is_tested = "test" in last_cell(line).split()  # the head of a table, if it is one
        elif is_tested and line.startswith("| "):
            yield number, line
        above = line


def check_features(tree):
    """Checks that each feature and each difference names tests, suites, files or programs that exist."""
    tests = {name for path, text in tree.cxx.items() if path.endswith("_test.cc")
             for name in TEST.findall(text)}
    known = {".".join(name) for name in tests} | {part for name in tests for part in name}
    known.update(name for path, text in tree.text.items() if path.endswith(("CMakeLists.txt", ".cmake"))
                 for name in CMAKE_TEST.findall(text))
    known.update(part for path in tree.text for part in (path, os.path.dirname(path), os.path.basename(path)))
    for page, number, line in ((page, number, line) for page in TESTED for number, line
                               in tested_rows(tree.text.get(page, ""))):
        cell = last_cell(line)
        named = SPAN.findall(cell)
        if not named:
            yield page, number, "feature-test", "this row names no test"
        for name in named:
            name = name.split()[0]
            if name not in known and not (
                    name.endswith("...") and any(k.startswith(name[:-3]) for k in known)):
                yield page, number, "feature-test", f"{name} is not a test"


def check_documents(tree):
    flags = known_flags(tree)
    for path, text in tree.text.items():
        if not path.endswith(".md"):
            continue
        folder = os.path.dirname(path)
        yield from check_examples(tree, path, text)
        if path != "CHANGELOG.md":
            yield from check_files(tree, path, text)
            yield from check_folders(tree, path, text)
        if path.startswith("docs/library/from-"):
            yield from check_names(tree, path, text)
        for number, code in code_of(text):
            for named in COMMAND.findall(code):
                if not any(p == named or p.startswith(named + "/") for p in tree.text):
                    yield path, number, "document-command", f"{named} does not exist"
                elif named in tree.text and tree.text[named].startswith("#!") \
                        and not tree.executable(named):
                    yield path, number, "document-command", f"{named} is not executable"
            words = code.replace("sudo ", "").lstrip("$ ").split()
            program = os.path.basename(words[0]) if words else ""
            if program in FOREIGN or program.endswith("_test"):
                continue
            for flag in FLAG.findall(code):
                if flag not in flags:
                    yield path, number, "document-flag", f"no program here has --{flag}"
        for number, line in enumerate(text.split("\n"), 1):
            for target in LINK.findall(line):
                inside = os.path.normpath(os.path.join(folder, target))
                if "://" not in target and not any(
                        p == inside or p.startswith(inside + "/") for p in tree.text):
                    yield path, number, "document-link", f"{target} does not exist"
