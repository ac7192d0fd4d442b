#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py SOURCE BUILD OUT: what mkdocs makes the site of, into OUT: mkdocs.yml and pages/ (site/make.sh).

Pages keep their places (docs/graph.md, SECURITY.md), so that links between them hold. A link to a header leads to its page
of the reference, one to another file or folder to a page that shows it. OUT/pages/reports/ has the reports already."""
import json
import re
import shutil
import sys
from pathlib import Path

import api

ROOT = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE', 'examples/README.md']
KINDS = {'.c': 'c', '.h': 'c', '.cpp': 'cpp', '.hpp': 'cpp', '.py': 'python', '.S': 'gas', '.csl': 'zig', '.pto': 'text'}


def nav(index):
    """The tables of docs/README.md as sections: a bold line, then rows whose first cell has links."""
    sections = []
    for line in index.split('\n'):
        title = re.match(r'\*\*(.+?)\*\*', line)
        if title:
            sections.append((title[1], []))
        elif sections and line.startswith('| '):
            sections[-1][1].extend(re.findall(r'\]\(([^)]+\.md)\)', line.split('|')[1]))
    return sections


def under_docs(page):
    return page[3:] if page.startswith('../') else 'docs/' + page


class Pages:
    def __init__(self, source, out):
        self.source, self.out, self.shown = source, out, []

    def copy(self, name):
        target = self.out / (name if name.endswith('.md') else name + '.md')
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (self.source / name).read_text()
        if not name.endswith('.md'):
            text = f'# {name}\n\n```\n{text}\n```\n'
        target.write_text(re.sub(r'(\]\()([^)\s#]+)', lambda m: m[1] + self.link(name, m[2]), text))

    def link(self, page, target):
        """The target of a link on a page, as it is on the site."""
        folder = (self.source / page).parent
        path = (folder / target).resolve()
        if re.match(r'[a-z]+:', target) or target.endswith(('.md', '.png', '.svg')):
            return target
        if not path.exists():
            raise SystemExit(f'{page}: {target} does not exist')
        name = str(path.relative_to(self.source))
        up = '../' * (len(Path(page).parts) - 1)
        if name == 'LICENSE':
            return up + 'LICENSE.md'
        if name == 'docs/profile.schema.json':
            return target
        if name.startswith('include/tilewright/') and '/detail/' not in name:
            return f'{up}api/{api.page_of(name[len("include/"):])}'
        return up + self.show(path)

    def show(self, path):
        """Where a source is shown: on the page of its folder."""
        folder, anchor = (path, '') if path.is_dir() else (path.parent, '#' + re.sub(r'[^\w-]', '', path.name.lower()))
        name = str(folder.relative_to(self.source))
        page = f'source/{name}.md'
        if page not in self.shown:
            self.shown.append(page)
            target = self.out / page
            target.parent.mkdir(parents=True, exist_ok=True)
            files = sorted(p for p in folder.iterdir() if p.suffix in KINDS)
            target.write_text(f'# {name}\n' + ''.join(f'\n## {p.name}\n\n```{KINDS[p.suffix]}\n{p.read_text()}\n```\n' for p in files))
        return page + anchor

    def examples(self):
        """Folders in the first column of tables of examples/README.md lead to their sources."""
        page = self.out / 'examples/README.md'
        page.write_text(re.sub(r'^\| `([a-z_0-9/]+)`', lambda m: f'| [`{m[1]}`](../{self.show(self.source / "examples" / m[1])})'
                               if (self.source / 'examples' / m[1]).is_dir() else m[0], page.read_text(), flags=re.M))


def main():
    source, build, out = (Path(a).resolve() for a in sys.argv[1:4])
    pages = Pages(source, out / 'pages')
    for name in ROOT + sorted(f'docs/{p.name}' for p in (source / 'docs').glob('*.md')):
        pages.copy(name)
    pages.examples()
    for folder in ('docs/img', 'docs/pictures'):
        shutil.copytree(source / folder, out / 'pages' / folder, ignore=shutil.ignore_patterns('*.py'), dirs_exist_ok=True)
    shutil.copy(source / 'docs/profile.schema.json', out / 'pages/docs')
    shutil.copy(source / 'site/reports.md', out / 'pages/reports/index.md')
    shutil.copy(source / 'site/site.css', out / 'pages')
    reference = api.write(source / 'include', build / 'include', out / 'pages/api')
    sections = nav((source / 'docs/README.md').read_text())
    tree = [{'Tilewright': ['README.md', 'docs/README.md', 'examples/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE.md']}]
    tree += [{title: [under_docs(p) for p in listed]} for title, listed in sections]
    tree += [{'API': ['api/index.md'] + [{name: f'api/{page}' for name, page in entry.items()} for entry in reference]}, {'Reports': ['reports/index.md']}]
    if pages.shown:
        tree[0]['Tilewright'].append({'Sources': sorted(pages.shown)})
    settings = (source / 'site/mkdocs.yml').read_text()
    (out / 'mkdocs.yml').write_text(f'{settings}nav: {json.dumps(tree)}\n')


main()
