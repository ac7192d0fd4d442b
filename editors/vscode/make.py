#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the grammars of the words in editors/words (`make.py grammars`) and the package (`make.py vsix FILE`).

A .vsix is a zip with the extension's files below extension/, a manifest in XML and a list of content types. Nothing is
installed or downloaded for it, and the same files give the same bytes."""
import json
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = os.path.join(HERE, '..', 'words')
CONTROL = 'if else for while switch break continue return'.split()
OPERATORS = 'and or'.split()
CONSTANTS = 'true false'.split()
FILES = ['package.json', 'extension.js', 'client.js', 'LICENSE', 'README.md', 'language-configuration.json',
         'language-configuration-asm.json']


def words(name):
    kinds = {}
    with open(os.path.join(WORDS, name + '.txt')) as file:
        for line in file:
            kind, word = line.split()
            kinds.setdefault(kind, []).append(word)
    return kinds


def any_of(texts):  # the longest first: engines take the first that matches
    return '(?:' + '|'.join(re.escape(t) for t in sorted(texts, key=lambda t: (-len(t), t))) + ')'


def rule(scope, match):
    return {'name': scope, 'match': match}


def strings(language):
    return {'name': f'string.quoted.double.{language}', 'begin': '"', 'end': '"|$',
            'patterns': [rule(f'constant.character.escape.{language}', r'\\(?:x[0-9a-fA-F]{2}|.)')]}


def csl():
    w = words('csl')
    other = [k for k in w['keyword'] if k not in CONTROL + OPERATORS + CONSTANTS]
    return [
        rule('comment.line.double-slash.csl', r'//.*$'), strings('csl'),
        rule('string.quoted.single.csl', r"'(?:\\x[0-9a-fA-F]{2}|\\.|[^'\\\n])'"),
        {'match': r'\b(fn|task)\s+([A-Za-z_]\w*)',
         'captures': {'1': {'name': 'storage.type.function.csl'}, '2': {'name': 'entity.name.function.csl'}}},
        rule('support.function.builtin.csl', '@' + any_of(w['builtin']) + r'\b'),
        {'match': r'(\.)([A-Za-z_]\w*)', 'captures': {'2': {'name': 'variable.other.member.csl'}}},
        rule('keyword.control.csl', r'\b' + any_of(CONTROL) + r'\b'),
        rule('keyword.operator.word.csl', r'\b' + any_of(OPERATORS) + r'\b'),
        rule('constant.language.csl', r'\b' + any_of(CONSTANTS) + r'\b'),
        rule('storage.modifier.csl', r'\b' + any_of(other) + r'\b'),
        rule('storage.type.csl', r'\b' + any_of(w['type']) + r'\b'),
        rule('constant.numeric.csl', r'\b(?:0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?)\b'),
    ]


def pto():
    w = words('pto')
    short = [o[4:] for o in w['operation'] if o.startswith('pto.')]
    return [
        rule('comment.line.double-slash.pto', r'//.*$'), strings('pto'),
        rule('variable.other.pto', r'%[\w$.-]+(?:#[0-9]+)?'), rule('entity.name.function.pto', r'@[\w$.-]+'),
        rule('entity.name.label.pto', r'\^[\w$.-]+'),
        rule('keyword.control.pto', r'(?<![\w.$%@!])' + any_of(w['flow']) + r'(?![\w.$-])'),
        rule('support.function.instruction.pto', r'(?<![\w.$%@!])(?:pto\.)?' + any_of(w['instruction']) + r'(?![\w.$-])'),
        rule('support.function.operation.pto', r'(?<![\w.$%@!])' + any_of(w['operation'] + short) + r'(?![\w.$-])'),
        rule('keyword.other.pto', r'(?<![\w.$%@!])(?:module|attributes|func\.func|ins|outs|else|do|to|step|iter_args)(?![\w.$-])'),
        rule('entity.name.type.pto', r'!pto\.\w+|\b(?:memref|index|vector)\b'),
        rule('storage.type.pto', r'(?<![\w.$%@!])(?:[0-9?]+x)*' + any_of(w['type']) + r'\b'),
        rule('constant.numeric.pto', r'(?<![\w.$%@])-?(?:0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\b'),
        rule('constant.language.pto', r'\b(?:true|false|unit)\b'),
    ]


def ipu():
    w = words('colossus')
    return [
        rule('comment.line.double-slash.ipu', r'//.*$'),
        {'name': 'comment.block.ipu', 'begin': r'/\*', 'end': r'\*/'}, strings('ipu'),
        rule('meta.preprocessor.ipu', r'^\s*#\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|error)\b.*$'),
        rule('comment.line.number-sign.ipu', r'#.*$'),
        rule('entity.name.label.ipu', r'^\s*[A-Za-z_.$][\w.$]*:'),
        rule('variable.language.register.ipu', r'\$[a-zA-Z_][\w]*(?::[0-9]+)?'),
        rule('keyword.other.directive.ipu', r'(?<![\w.$])\.[A-Za-z_]\w*'),
        rule('support.function.instruction.ipu', r'(?<![\w.$])' + any_of(w['instruction']) + r'(?![\w.$])'),
        rule('constant.numeric.ipu', r'\b(?:0x[0-9a-fA-F]+|0b[01]+|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)[bf]?\b'),
    ]


GRAMMARS = {'csl': ('CSL', csl), 'pto': ('PTO-AS', pto), 'ipu': ('IPU assembly', ipu)}


def grammar(language):
    name, make = GRAMMARS[language]
    tree = {'$schema': 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json', 'name': name,
            'scopeName': 'source.' + language, 'patterns': make()}
    return json.dumps(tree, indent=1) + '\n'


def write_grammars(folder):
    for language in GRAMMARS:
        with open(os.path.join(folder, language + '.tmLanguage.json'), 'w') as file:
            file.write(grammar(language))


def manifest(package):
    return f'''<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{package['name']}" Version="{package['version']}" Publisher="{package['publisher']}"/>
    <DisplayName>{package['displayName']}</DisplayName>
    <Description xml:space="preserve">{package['description']}</Description>
    <Categories>{','.join(package['categories'])}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{package['engines']['vscode']}"/>
    </Properties>
    <License>extension/LICENSE</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
'''


TYPES = '''<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" \
ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/><Default \
Extension=".md" ContentType="text/markdown"/><Default Extension=".vsixmanifest" ContentType="text/xml"/><Override \
PartName="/extension/LICENSE" ContentType="text/plain"/></Types>
'''


def write_vsix(path):
    with open(os.path.join(HERE, 'package.json')) as file:
        package = json.load(file)
    parts = {'extension.vsixmanifest': manifest(package).encode(), '[Content_Types].xml': TYPES.encode()}
    for name in FILES + [os.path.join(d, f) for d in ('syntaxes', 'snippets') for f in sorted(os.listdir(os.path.join(HERE, d)))]:
        source = os.path.join(HERE, '..', '..', 'LICENSE') if name == 'LICENSE' else os.path.join(HERE, name)
        with open(source, 'rb') as file:
            parts['extension/' + name] = file.read()
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as out:
        for name in parts:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, parts[name])


if __name__ == '__main__':
    if sys.argv[1:2] == ['grammars']:
        write_grammars(sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, 'syntaxes'))
    elif sys.argv[1:2] == ['vsix'] and len(sys.argv) == 3:
        write_vsix(sys.argv[2])
    else:
        sys.exit('usage: make.py grammars [FOLDER] | vsix FILE')
