import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readTexts, type SourceTexts } from './source-texts.ts';
import { zh_CN } from './src/i18n/zh_CN.ts';

/** Fails on unused texts, and on words outside the language files. Missing texts are type errors. */
const here = import.meta.dirname;
const problems: string[] = [];

/** All but the texts themselves, the languages' own names, tests, and what only development shows. */
const isOurs = (file: string) =>
  !/\.(?:test|gen|d)\.tsx?$|^src\/i18n\/(?:languages|[a-z]{2}_[A-Z]{2})|^src\/screens\/dev\./.test(file);

const sources = new Map<string, SourceTexts>();
for (const file of globSync('src/**/*.{ts,tsx}', { cwd: here }).filter(isOurs)) {
  const texts = readTexts(file, readFileSync(path.join(here, file), 'utf8'));
  sources.set(file, texts);
  for (const { line, words } of texts.loose) problems.push(`console/${file}:${line} says outside of i18n: ${words}`);
}

/** Keys whose halves both come from the server, where the code asks whether there is a text. */
const named = /^(?:channelForm:(?:option|plugin|pluginHint)|paymentGateway:(?:field|fieldHint|choice))\./;

/** A file that says not where its `t` is from has its keys said by its neighbours, or else by those a folder further up. */
function namespacesOf(file: string, own: Set<string>): Set<string> {
  if (own.size > 0) return own;
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    const near = [...sources].filter(([other]) => other.startsWith(`${folder}/`));
    const all = new Set(near.flatMap(([, { namespaces }]) => [...namespaces]));
    if (all.size > 0) return all;
  }
  return own;
}

interface Uses {
  literals: Set<string>;
  patterns: RegExp[];
}

const usesOf = new Map<string, Uses>();
for (const [file, { namespaces, others, literals, patterns }] of sources) {
  for (const namespace of new Set([...namespacesOf(file, namespaces), ...others])) {
    const uses = usesOf.get(namespace) ?? { literals: new Set(), patterns: [] };
    for (const literal of literals) uses.literals.add(literal.replace(`${namespace}:`, ''));
    uses.patterns.push(...[...patterns].map((pattern) => new RegExp(pattern.replace(`${namespace}:`, ''))));
    usesOf.set(namespace, uses);
  }
}

function keysOf(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? keysOf(value, `${before}${name}.`) : [before + name],
  );
}

for (const [namespace, load] of Object.entries(zh_CN)) {
  const { literals, patterns } = usesOf.get(namespace) ?? { literals: new Set(), patterns: [] };
  for (const key of keysOf((await load()).texts)) {
    const forms = [key, key.replace(/_(?:zero|one|other)$/, '')];
    const used =
      named.test(`${namespace}:${key}`) ||
      forms.some((form) => literals.has(form) || patterns.some((pattern) => pattern.test(form)));
    if (!used) problems.push(`the text ${namespace}:${key} is used nowhere`);
  }
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
