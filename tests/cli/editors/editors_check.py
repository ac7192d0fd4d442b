# SPDX-License-Identifier: MIT
"""The extension's files: grammars are those of the words, their expressions compile, lines get the scopes they should;
snippets and settings parse; the package holds what its manifest names.  editors_check.py SOURCE WORK"""
import json
import os
import re
import sys
import xml.etree.ElementTree
import zipfile

source, work = sys.argv[1:3]
folder = os.path.join(source, 'editors', 'vscode')
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
import make  # noqa: E402

SCOPES = {  # line, word, the last scope it gets (None: no scope)
    'csl': [
        ('const x = @get_color(0); // a', 'const', 'storage.modifier.csl'), ('const x = @get_color(0); // a', '@get_color', 'support.function.builtin.csl'),
        ('const x = @get_color(0); // a', '// a', 'comment.line.double-slash.csl'), ('const x = @get_color(0);', 'x', None),
        ('task step() void {', 'task', 'storage.type.function.csl'), ('task step() void {', 'step', 'entity.name.function.csl'),
        ('task step() void {', 'void', 'storage.type.csl'), ('if (a or b) return 0x1f;', 'if', 'keyword.control.csl'),
        ('if (a or b) return 0x1f;', 'or', 'keyword.operator.word.csl'), ('if (a or b) return 0x1f;', '0x1f', 'constant.numeric.csl'),
        ('.{ .align = true, .extent = 1.5e-3 }', 'align', 'variable.other.member.csl'), ('.{ .align = true }', 'true', 'constant.language.csl'),
        ('.{ .extent = 1.5e-3 }', '1.5e-3', 'constant.numeric.csl'), ('x = "a // \\n b";', 'a // ', 'string.quoted.double.csl'),
        ('x = "a // \\n b";', '\\n', 'constant.character.escape.csl'), ('const d: mem1d_dsd = y;', 'mem1d_dsd', 'storage.type.csl'),
        ('const constant = 1;', 'constant', None), ('@no_builtin(1)', '@no_builtin', None), ("x = 'a';", "'a'", 'string.quoted.single.csl')],
    'pto': [
        ('%k = pto.tci %zero : i32 -> !pto.tile<vec, 1x8xi32>', '%k', 'variable.other.pto'),
        ('%k = pto.tci %zero : i32 -> !pto.tile<vec, 1x8xi32>', 'pto.tci', 'support.function.instruction.pto'),
        ('%k = pto.tci %zero : i32 -> !pto.tile<vec, 1x8xi32>', '!pto.tile', 'entity.name.type.pto'),
        ('%k = pto.tci %zero : i32 -> !pto.tile<vec, 1x8xi32>', '1x8xi32', 'storage.type.pto'),
        ('%zero = arith.constant 0 : i32 // z', 'arith.constant', 'support.function.operation.pto'),
        ('%zero = arith.constant 0 : i32 // z', '// z', 'comment.line.double-slash.pto'), ('scf.for %i = %a to %b', 'scf.for', 'keyword.control.pto'),
        ('tadd ins(%a) outs(%b)', 'tadd', 'support.function.instruction.pto'), ('func.func @main() {', '@main', 'entity.name.function.pto')],
    'ipu': [
        ('  f32v2add $a0:1, $a2:3, $a4:5 // c', 'f32v2add', 'support.function.instruction.ipu'),
        ('  f32v2add $a0:1, $a2:3, $a4:5 // c', '$a2:3', 'variable.language.register.ipu'), ('.globl f', '.globl', 'keyword.other.directive.ipu'),
        ('loop:', 'loop:', 'entity.name.label.ipu'), ('#define N 4', '#define N 4', 'meta.preprocessor.ipu'), ('  nop # c', '# c', 'comment.line.number-sign.ipu'),
        ('  setzi $m0, 0x10 /* a */', '0x10', 'constant.numeric.ipu'), ('  setzi $m0, 0x10 /* a */', ' a ', 'comment.block.ipu')],
}


def scopes(patterns, line):
    """(start, end, scope) of a line, as an editor finds them: the leftmost match, of these the first pattern."""
    found, at, stack = [], 0, []
    while at <= len(line):
        inner = stack[-1] if stack else None
        candidates = [(re.compile(p.get('match') or p['begin']).search(line, at), p) for p in (inner.get('patterns', []) if inner else patterns)]
        if inner:
            candidates.insert(0, (re.compile(inner['end']).search(line, at), None))
        candidates = [c for c in candidates if c[0]]
        if not candidates:
            break
        match, pattern = min(candidates, key=lambda c: c[0].start())
        if inner and match.start() > at:
            found.append((at, match.start(), inner['name']))
        if pattern is None:
            found.append((match.start(), match.end(), stack.pop()['name']))
        elif 'begin' in pattern:
            stack.append(pattern)
            found.append((match.start(), match.end(), pattern['name']))
        else:
            found.append((match.start(), match.end(), pattern.get('name')))
            for number, capture in pattern.get('captures', {}).items():
                found.append((match.start(int(number)), match.end(int(number)), capture['name']))
        at = match.end() if match.end() > at or pattern is None else at + 1
        if match.end() == len(line) and not stack:
            break
    return found


bad = []
for language, rows in SCOPES.items():
    path = os.path.join(folder, 'syntaxes', language + '.tmLanguage.json')
    text = open(path).read()
    if text != make.grammar(language):
        bad.append(f'{path} is not what make.py makes of editors/words: ./dev golden')
    for line, word, scope in rows:
        start = line.index(word)
        covering = [s for a, b, s in scopes(json.loads(text)['patterns'], line) if a <= start and start + len(word) <= b]
        if (covering[-1] if covering else None) != scope:
            bad.append(f'{language}: {word} in "{line}" is {covering}, not {scope}')

package = json.load(open(os.path.join(folder, 'package.json')))
pattern = package['contributes']['problemPatterns'][0]
for line, want in [
        ('a b/pe.csl:3:9: error: expected a type [csl.syntax]', ('a b/pe.csl', '3', '9', 'error', 'expected a type', 'csl.syntax')),
        ('x.S:1:2: warning: unused', ('x.S', '1', '2', 'warning', 'unused', None)), ('    3 |     x = 1;', None)]:
    match = re.match(pattern['regexp'], line)
    got = match and tuple(match.group(pattern[k]) for k in ('file', 'line', 'column', 'severity', 'message', 'code'))
    if got != want:
        bad.append(f'problem matcher: {line} gives {got}')
for name in os.listdir(os.path.join(folder, 'snippets')):
    for key, snippet in json.load(open(os.path.join(folder, 'snippets', name))).items():
        if not snippet.get('prefix') or not snippet.get('body') or not snippet.get('description'):
            bad.append(f'{name}: {key} lacks a part')
for name in ('language-configuration.json', 'language-configuration-asm.json'):
    json.load(open(os.path.join(folder, name)))

vsix = os.path.join(work, 't.vsix')
make.write_vsix(vsix)
first = open(vsix, 'rb').read()
make.write_vsix(vsix)
if open(vsix, 'rb').read() != first:
    bad.append('the package is another one each time')
with zipfile.ZipFile(vsix) as archive:
    names = set(archive.namelist())
    space = '{http://schemas.microsoft.com/developer/vsx-schema/2011}'
    manifest = xml.etree.ElementTree.fromstring(archive.read('extension.vsixmanifest'))
    identity = manifest.find(f'{space}Metadata/{space}Identity')
    if (identity.get('Id'), identity.get('Version'), identity.get('Publisher')) != tuple(package[k] for k in ('name', 'version', 'publisher')):
        bad.append('the manifest names another extension')
    types = xml.etree.ElementTree.fromstring(archive.read('[Content_Types].xml'))
    known = {e.get('Extension') or e.get('PartName') for e in types}
    bad += [f'{n} has no content type' for n in names if n != '[Content_Types].xml' and os.path.splitext(n)[1] not in known and '/' + n not in known]
    contributes = package['contributes']
    wanted = [package['main'], 'LICENSE', 'client.js'] + [g['path'] for g in contributes['grammars']] + [s['path'] for s in contributes['snippets']]
    wanted += [lang['configuration'] for lang in contributes['languages']]
    bad += [f'{w} is not in the package' for w in wanted if 'extension/' + os.path.normpath(w) not in names]
version = re.search(r'project\([^)]*VERSION\s+([0-9.]+)', open(os.path.join(source, 'CMakeLists.txt')).read())
if version and version.group(1) != package['version']:
    bad.append(f"version {package['version']} of an extension of Tilewright {version.group(1)}")
print('\n'.join('FAILED: ' + b for b in bad))
sys.exit(1 if bad else 0)
