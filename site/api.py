# SPDX-License-Identifier: MIT
"""The reference of the C API from the comments of its headers: one page a header, one of all names (site/pages.py).

A comment is about the declaration that follows it, and about those behind that up to the next comment or empty line.
Declarations that macros make are not in the text: they are those that the preprocessor sees on the macro's line."""
import html
import re
import subprocess
from pathlib import Path

SECTION = re.compile(r'/\* -{3,} *(.*?)(?: *-{3,})? *(?:\*/)?$')


class Unit:
    """A comment and what it is about."""

    def __init__(self, line, comment=''):
        self.line, self.comment, self.code, self.names = line, comment, [], []


def headers(include, generated):
    """(name, path, the header that a program includes): parts in detail/ follow, they are of the header of their system."""
    found = []
    for folder in (include, generated):
        for path in (folder / 'tilewright').rglob('*.h*'):
            name = str(path.relative_to(folder))
            if '/compat/' not in name:
                found.append((name, path, name.split('/detail/')[0] + '.h' if '/detail/' in name else name))
    return sorted(found, key=lambda h: ('/detail/' in h[0], h[0]))


def page_of(header):
    if header == 'tilewright/index.h':  # index.md lists the pages
        return 'index-h.md'
    return re.sub(r'\.h(pp)?$', lambda m: '-cpp' if m[1] else '', header[len('tilewright/'):]).replace('/', '-') + '.md'


# --- what the preprocessor sees -------------------------------------------------------------------------------------

def preprocessed(include, generated, header):
    cxx = header.endswith('.hpp') or header.startswith('tilewright/aie')
    command = ['g++' if cxx else 'gcc', '-E', '-x', 'c++' if cxx else 'c', '-std=gnu++17' if cxx else '-std=gnu11',
               '-I', str(include), '-I', str(generated), '-']
    return subprocess.run(command, input=f'#include <{header}>\n', capture_output=True, text=True, check=True).stdout


def expanded(text, header):
    """{line: [declarations]} of the functions that the header declares, by the line of the header."""
    found, here, line, depth, piece, begun = {}, False, 0, 0, '', 0
    for row in text.split('\n'):
        mark = re.match(r'# (\d+) "([^"]*)"', row)
        if mark:
            here, line = mark[2].endswith('/' + header), int(mark[1]) - 1
            continue
        line += 1
        if not here:
            continue
        for token in re.findall(r'"(?:\\.|[^"\\])*"|[{};]|[^{};"]+', row + '\n'):
            if token == '{':
                if depth == 0 and re.search(r'extern\s+"C"\s*$|namespace\s+\w+\s*$', piece):
                    piece = ''
                    continue
                if depth == 0:
                    keep(found, begun, piece)
                depth += 1
            elif token == '}':
                depth, piece = max(depth - 1, 0), ''
            elif token == ';':
                if depth == 0:
                    keep(found, begun, piece)
                    piece = ''
            elif depth == 0:
                if not piece.strip():
                    begun = line
                piece += token
    return found


def keep(found, line, piece):
    piece = re.sub(r'__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)|\bextern\b(?: "C")?|\bstatic\b|\b(__)?inline(__)?\b',
                   ' ', piece)
    piece = re.sub(r'\s+', ' ', piece).strip()
    name = re.match(r'(?!typedef|struct|enum|union|template|using|class|return)[\w\s*&:<>,]*?\b([A-Za-z]\w*) ?\(', piece)
    if name and not name[1].startswith('tw__') and '=' not in piece.split('(')[0]:
        found.setdefault(line, []).append((name[1], piece))


# --- what the text says ---------------------------------------------------------------------------------------------

def units(text):
    """The text as a list of Unit, and str for titles of sections; the comment at its head first."""
    lines, result, i, unit, gap = text.split('\n'), [], 1, None, True
    while i < len(lines):
        line = lines[i].rstrip()
        start = i
        if not line.strip() or re.match(r'\s*(#\s*(if|el|endif|include|undef|pragma|error|ifdef|ifndef)|// clang-format|/\* clang-format|}$|extern "C")', line):
            while line.endswith('\\') and i + 1 < len(lines):
                i += 1
                line = lines[i].rstrip()
            gap, i = True, i + 1
            continue
        if re.match(r'/\*', line):
            comment = [line]
            while '*/' not in comment[-1] and i + 1 < len(lines):
                i += 1
                comment.append(lines[i].rstrip())
            i += 1
            title = SECTION.match(comment[0])
            if title and title[1]:
                result.append(title[1].strip())
                comment[0] = '/*'
            body = text_of(comment)
            unit, gap = (Unit(start + 1, body) if body or not title else None), False
            if unit:
                result.append(unit)
            continue
        piece = [line]
        while not ends(piece) and i + 1 < len(lines):
            i += 1
            piece.append(lines[i].rstrip())
        i += 1
        types = unit and unit.code and all(re.match(r'typedef (struct|enum|union)? *[^{]*$|typedef struct \w+ {[^;]*;', c) and '\n' not in c
                                           for c in [piece[0]] + [c for _, c in unit.code]) and len(piece) == 1
        if gap or unit is None or (unit.code and not unit.comment and not types):
            unit = Unit(start + 1)
            result.append(unit)
        gap = False
        unit.code.append((start + 1, '\n'.join(piece)))
    return result


def ends(piece):
    """Whether a declaration, a definition or a directive is complete."""
    if piece[0].startswith('#'):
        return not piece[-1].endswith('\\')
    text = re.sub(r'/\*.*?\*/|//[^\n]*', '', '\n'.join(piece), flags=re.S)
    if '/*' in text or text.count('{') != text.count('}') or text.count('(') != text.count(')'):
        return False
    text = text.rstrip()
    return text.endswith((';', '}')) or bool(re.match(r'(TW_[A-Z_0-9]*LIST|TW__\w+)\(', text)) and text.endswith(')')


def text_of(comment):
    body = '\n'.join(comment)
    body = re.sub(r'^/\*+ ?|\s*-*\s*\*/$', '', body.strip())
    return '\n'.join(re.sub(r'^ \* ?', '', row) for row in body.split('\n')).strip('\n')


def declared(piece):
    """Public names that the piece of a header introduces."""
    macro = re.match(r'#\s*define (\w+)', piece)
    if macro:
        return [macro[1]] if not macro[1].startswith('TW__') and macro[1].startswith('TW_') else []
    text = re.sub(r'/\*.*?\*/|//[^\n]*', '', piece, flags=re.S)
    for pattern in (r'extern TW_API [^;(]*\b(\w+);', r'TW_API[\w\s*]*?\b(\w+)\(', r'typedef [^;{]*\(\*(\w+)\)', r'typedef .*?}\s*(\w+);', r'typedef [^{]*?(\w+);',
                    r'(?:template <.*?>\s*)?(?:struct|class|enum(?: class)?) (\w+)', r'using (\w+) =', r'(?:static |constexpr )[^;{=]*?\b(\w+)\(',
                    r'TW__AIE [\w\s*]*?\b(\w+)\(', r'template <.*?> [^;{=]*?\b(\w+)\('):
        found = re.match(pattern, text, re.S)
        if found:
            return [] if found[1].startswith(('tw__', '__')) else [found[1]]
    return []


def shown(piece):
    """A piece of code as it is printed: without the export mark, functions without their body."""
    if piece.startswith('#'):
        return piece if '\n' not in piece else re.sub(r'\s*\\\n.*', '', piece, flags=re.S)
    function = re.match(r'((?:static |TW__AIE |constexpr |template )[^;{=]*\([^{;]*\))\s*\{', piece, re.S)
    code = re.sub(r'^(static inline |TW__AIE )', '', function[1]) + ';' if function else piece
    if code.startswith('TW_API '):
        code = re.sub(r'\n {7}', '\n', code[7:])
    return re.sub(r'\s*\bTW_(PRINTF|SENTINEL|CONST|WARN_UNUSED)\b(\([^)]*\))?', '', code)


# --- pages ----------------------------------------------------------------------------------------------------------

def prose(text, link):
    """A comment as HTML: paragraphs, lists, indented code."""
    out = []
    for block in re.split(r'\n\s*\n', text):
        rows, run, kind = block.split('\n'), [], None

        def flush():
            if run and kind == 'code':
                out.append('\n```c\n' + '\n'.join(row[min(4, len(row) - len(row.lstrip())):] for row in run) + '\n```\n')
            elif run and kind == 'list':
                items = re.split(r'(?:^|\n)- ', '\n'.join(run))[1:]
                out.append('<ul>' + ''.join(f'<li>{link(item)}</li>' for item in items) + '</ul>\n')
            elif run:
                words = link('\n'.join(run))
                out.append('<p>' + re.sub(r'(^|\n)([A-Z][\w ]{2,24}[.:])(?= )', r'\1<b>\2</b>', words, count=1) + '</p>\n'
                           if re.match(r'(Errors|Threads|Ownership|Options|Expressions|Fields|Access)\b', run[0]) else f'<p>{words}</p>\n')
            run.clear()
        for row in rows:
            now = 'code' if row.startswith('  ') and kind != 'list' else 'list' if row.startswith('- ') or (kind == 'list' and row.startswith(' ')) else 'text'
            if now != kind:
                flush()
                kind = now
            run.append(row)
        flush()
    return '\n'.join(out)


def read(include, generated):
    """{header: list of (title | Unit)}, with the names that each unit introduces."""
    pages, seen = {}, {}
    for header, path, top in headers(include, generated):
        if top not in seen:
            seen[top] = preprocessed(include, generated, top)
        found = expanded(seen[top], header)
        if top != header and not found:
            continue
        if header == MULTIPLY:
            pages[header] = multiply_family(path.read_text(), found)
            continue
        parts = units(path.read_text())
        for unit in parts:
            if isinstance(unit, str):
                continue
            code = []
            for line, piece in unit.code:
                names = declared(piece)
                made = [] if names else found.get(line, [])
                if names:
                    code.append(shown(piece))
                elif made:
                    code += sorted({signature + ';' for _, signature in made})
                unit.names += names + sorted({name for name, _ in made})
            unit.code = code
        pages[header] = parts
    return pages


MULTIPLY = 'tilewright/aie/detail/mul_calls.h'


def multiply_family(text, found):
    """The names of the multiply family, generated as TW__NAME(name, function, ...): names of one function take the same
    arguments, those behind its flags."""
    functions, names, parts = {}, {}, ['names that take the same arguments; what each computes: [AI Engine](../docs/aie.md)']
    for name, signature in [pair for made in found.values() for pair in made]:
        functions.setdefault(name, []).append(signature)
    for name, function in re.findall(r'^TW__NAME\((\w+), (\w+),', text, re.M):
        names.setdefault(function, []).append(name)
    for function in sorted(names.keys() & functions.keys(), key=lambda f: names[f][0]): # the rest refuses all arguments
        unit = Unit(0, 'Also ' + ', '.join(f'`{name}`' for name in names[function][1:]) if names[function][1:] else '')
        unit.names = names[function]
        first = names[function][0]
        unit.code = sorted({s.replace(f'{function}(unsigned flags, ', first + '(') + ';' for s in functions[function]})
        parts.append(unit)
    return parts


def write(include, generated, out):
    out.mkdir(parents=True, exist_ok=True)
    pages = read(include, generated)
    where = {}
    for header, parts in pages.items():
        for unit in parts:
            for name in [] if isinstance(unit, str) else unit.names:
                where.setdefault(name, f'{page_of(header)}#{name}')

    def linker(page):
        def link(text):
            text = html.escape(text, quote=False)
            text = re.sub(r'`([^`]+)`', r'<code>\1</code>', text)

            def one(match):
                target = where.get(match[1])
                if not target:
                    return match[0]
                target = target[len(page):] if target.startswith(page + '#') else target.replace('.md#', '.html#')
                return f'<a href="{target}"><code>{match[0]}</code></a>'
            return re.sub(r'\b((?:tw|TW)_\w+)(?:\(\))?(?![^<]*</code>)', one, text)
        return link
    listing = []
    for header, parts in pages.items():
        page = page_of(header)
        link = linker(page)
        head = None if header == MULTIPLY else next((p for p in parts if isinstance(p, Unit)), None)
        part_of = f', part of `<{header.split("/detail/")[0]}.h>`' if '/detail/' in header else ''
        rows = [f'# `<{header}>`{part_of}\n']
        if head and head.comment and not head.names:
            rows.append(prose(head.comment, link))
            parts = [p for p in parts if p is not head]
            summary = re.split(r'(?<=[.:])\s', head.comment.replace('\n', ' '), maxsplit=1)[0].rstrip(':.')
        else:
            summary = ''
        listing.append((header, page, linker('index.md')(summary), [n for p in parts if isinstance(p, Unit) for n in p.names]))
        title = None
        written = set()
        for part in parts:
            if isinstance(part, str):
                title = part
                continue
            if not part.names and not (title and part.comment):
                continue
            if title:
                rows.append(f'\n## {html.escape(title, quote=False)[0].upper()}{html.escape(title, quote=False)[1:]}\n')
                title = None
            rows += entry(part, link, written)
        (out / page).write_text('\n'.join(rows))
    index(out, listing, where)
    return [{header[len('tilewright/'):]: page} for header, page, _, _ in listing]


def entry(unit, link, written):
    rows = []
    names = list(dict.fromkeys(unit.names))
    fresh = [n for n in names if n not in written]
    written.update(fresh)
    if names:
        label = ', '.join(f'`{n}`' for n in names[:4]) + (', …' if len(names) > 4 else '')
        rows.append(f'\n### {label}' + (f' {{ #{fresh[0]} }}' if fresh else '') + '\n')
        if fresh[1:]:
            rows.append('<p class="tw-names">' + ''.join(f'<span id="{n}"></span>' for n in fresh[1:]) + '</p>\n')
    if unit.comment:
        rows.append(prose(unit.comment, link))
    if unit.code:
        code = '\n```c\n' + '\n'.join(unit.code) + '\n```\n'
        many = len(unit.code) > 24
        rows.append(f'<details markdown="1"><summary>{len(unit.code)} declarations</summary>\n{code}\n</details>\n' if many else code)
    return rows


def index(out, listing, where):
    rows = ['# API\n', 'The C interface, from the comments of its headers: below `include/tilewright`, one page each.\n',
            '| header | what it is for |', '|---|---|']
    rows += [f'| [`{header[len("tilewright/"):]}`]({page}) | {summary.replace("|", "&#124;")} |' for header, page, summary, _ in listing]
    rows.append('\n## All names\n')
    letters = {}
    for name in where:
        short = re.sub(r'^tw_', '', name) if name.startswith('tw_') else name
        letters.setdefault(short[0].upper() if not name.startswith('TW_') else 'Macros', []).append(name)
    for letter in sorted(letters, key=lambda k: (len(k) > 1, k)):
        rows.append(f'\n### {letter}\n\n<p class="tw-all">')
        rows.append(' '.join(f'<a href="{where[n].replace(".md#", ".html#")}">{n}</a>' for n in sorted(letters[letter])))
        rows.append('</p>\n')
    (out / 'index.md').write_text('\n'.join(rows))


if __name__ == '__main__':
    import sys
    write(Path(sys.argv[1]) / 'include', Path(sys.argv[2]) / 'include', Path(sys.argv[3]))
