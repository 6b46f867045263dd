import { parseSync, Visitor } from 'vite';

/** Words in a source file, and the namespaces that it takes texts from. */
export interface SourceTexts {
  namespaces: Set<string>;
  /** Namespaces that single texts are taken from, in addition to those of `t`. */
  others: Set<string>;
  /** Strings that may be keys: `retry`, `log:title`. */
  literals: Set<string>;
  /** Strings with holes that may be keys: `kinds.${kind}` as `^kinds\.[\w.-]+$`. */
  patterns: Set<string>;
  /** Visible words that are not in a language file. */
  loose: { line: number; words: string }[];
}

/** Attributes that are read out or shown. */
const shown = new Set(['alt', 'aria-description', 'aria-label', 'hint', 'label', 'placeholder', 'text', 'title']);
const letters = /\p{L}/u;
const asian = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Texts that are the same in every language: names, keys of the keyboard, units. */
const names = new Set(['', 'Esc', 'esc', 'JustSong', 'MartialBE', 'OpenAI', 'Parquet', 'Relay Hub', 't/s']);
/** Machine-readable texts: JSON, addresses, and words that contain digits or hyphens. */
const code = /^[{[]|:\/\/|^[\w.-]+\/[\w./-]+$|^[\w.@-]*[\d.@-][\w.@-]*$|^[A-Z\d ]+$/;

interface Literal {
  type: string;
  value?: unknown;
}

const isText = (node: Literal | null | undefined): node is { type: 'Literal'; value: string } =>
  node?.type === 'Literal' && typeof node.value === 'string';

/** Reads one source file; the extension of `name` selects the syntax. */
export function readTexts(name: string, source: string): SourceTexts {
  const found: SourceTexts = {
    namespaces: new Set(),
    others: new Set(),
    literals: new Set(),
    patterns: new Set(),
    loose: [],
  };
  const blame = (start: number, said: string) => {
    const words = said.replaceAll(/&\w+;/g, '').trim();
    const line = source.slice(0, start).split('\n').length;
    if (!names.has(words) && !code.test(words)) found.loose.push({ line, words });
  };
  const once = new Set<number>();
  new Visitor({
    CallExpression: (node) => {
      const callee = source.slice(node.callee.start, node.callee.end);
      if (/\buseTranslation$/.test(callee) && node.arguments.length === 0) found.namespaces.add('app');
      // `translator('shared')('cancel')` takes one text; the file's own namespaces are those of its `t`.
      if (node.callee.type === 'CallExpression') once.add(node.callee.start);
      if (/\b(?:useTranslation|translator|loadTexts)$/.test(callee))
        for (const [, namespace] of source.slice(node.callee.end, node.end).matchAll(/'(\w+)'/g))
          (once.has(node.start) ? found.others : found.namespaces).add(namespace!);
    },
    TSTypeReference: (node) => {
      const [, namespace] = /^Translate<'(\w+)'/.exec(source.slice(node.start, node.end)) ?? [];
      if (namespace) found.namespaces.add(namespace);
    },
    Literal: (node) => {
      if (!isText(node)) return;
      found.literals.add(node.value);
      const [, namespace] = /^(\w+):\w/.exec(node.value) ?? [];
      if (namespace) found.others.add(namespace);
      if (asian.test(node.value)) blame(node.start, node.value);
    },
    TemplateLiteral: (node) => {
      const fixed = node.quasis.map(({ value }) => value.cooked ?? '');
      if (fixed.some((text) => asian.test(text))) blame(node.start, fixed.join('…'));
      if (fixed.every((text) => /^[\w.:-]*$/.test(text)) && fixed.some((text) => letters.test(text)))
        found.patterns.add(`^${fixed.map((text) => text.replaceAll('.', '\\.')).join('[\\w-]+')}$`);
    },
    JSXText: (node) => {
      if (letters.test(node.value)) blame(node.start, node.value);
    },
    JSXExpressionContainer: (node) => {
      if (isText(node.expression) && source[node.start - 1] === '>') blame(node.start, node.expression.value);
    },
    JSXAttribute: (node) => {
      const attribute = source.slice(node.name.start, node.name.end);
      if (shown.has(attribute) && isText(node.value)) blame(node.start, node.value.value);
    },
  }).visit(parseSync(name, source).program);
  return found;
}
