import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PriceInput, priceInput } from '@relay-hub/contract';
import { readPublicList, summaryOf } from '../server/src/features/price/public-lists/public-list.ts';
import { flag, readCommand, text } from '../server/src/process/command-line.ts';
import { listText, mergePriceLists, type PriceSourceRead } from './lib/merge-price-lists.ts';
import { root } from './lib/run.ts';

const file = path.join(root, 'server/src/prices/built-in-prices.json');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const day = (time: number): string => new Date(time).toISOString().slice(0, 10);

const { write, add, confirm, others } = readCommand({
  name: 'tool price-list',
  about:
    'Compares the built-in prices with public lists of LiteLLM, models.dev, OpenRouter and genai-prices, given as files ' +
    'or URLs, and reports what differs, between the lists too. See docs/prices.md.',
  others: '<file or URL>[@YYYY-MM-DD] …',
  options: {
    write: flag('write what differs to the built-in list'),
    add: text('<models>', 'models to add to the list, separated by commas', ''),
    confirm: text(
      '<models>',
      'models to write although their price jumps or the lists differ: the newest one wins',
      '',
    ),
  },
  more: 'The date is that of the list; without it, that of the file, and today for a URL.',
});
/** Absent and empty fields are equal. */
const textOf = (value: unknown): string => (JSON.stringify(value) ?? 'none').replace(/^(\[\]|\{\})$/, 'none');
const fields = ['input', 'output', 'extra_ratios', 'rules', 'fees'] as const;
const names = (list: string): Set<string> => new Set(list.split(',').filter((name) => name !== ''));

const sources = await Promise.all(others.map(readList));
if (sources.length === 0) {
  process.stderr.write('No list is given. Nothing was done.\n');
  process.exit(2);
}
const builtIn = (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).map((row) => priceInput.parse(row));
const merged = mergePriceLists(builtIn, sources, { confirmed: names(confirm), added: names(add) });

say(`# Prices that differ (${merged.found.length})`);
for (const { model, before, after, source, held } of merged.found) {
  say(`- ${model} (${source})${held === '' ? '' : `: not written, ${held}`}`);
  for (const field of fields) {
    const [old, now] = [textOf(before?.[field]), textOf(after[field])];
    if (old !== now) say(`  ${field}: ${old} → ${now}`);
  }
}
say(`\n# Lists that differ from each other (${merged.differing.length})`);
for (const { model, says, wins } of merged.differing) {
  say(`- ${model}: ${wins} would win`);
  for (const field of fields) {
    const texts = says.map(({ name, price }) => `${name} ${textOf(price[field])}`);
    if (new Set(says.map(({ price }) => textOf(price[field]))).size > 1) say(`  ${field}: ${texts.join('; ')}`);
  }
}
say(`\n# Models without a built-in price (${merged.unlisted.length})\n${merged.unlisted.join(', ')}`);
if (write) {
  writeFileSync(file, listText(merged.prices));
  say(`\nWrote ${merged.found.filter(({ held }) => held === '').length} prices.`);
}

async function readList(given: string): Promise<PriceSourceRead> {
  const [, name = given, dated] = /^(.+)@(\d{4}-\d\d-\d\d)$/.exec(given) ?? [];
  const isUrl = /^https?:\/\//.test(name);
  const body = isUrl ? await (await fetch(name)).text() : readFileSync(name, 'utf8');
  const list = readPublicList(JSON.parse(body), Math.floor(Date.now() / 1000));
  if (!list) throw new Error(`${name} is none of the known price lists`);
  say(`# ${name}: ${list.prices.length} prices, ${list.format}`);
  for (const { remark, field, count, models } of summaryOf(list.remarks))
    say(`- ${remark} ${field} (${count})${models.length === 0 ? '' : `: ${models.join(', ')}`}`);
  say('');
  const isSeller = list.format === 'open_router';
  return {
    name,
    date: dated ?? (isUrl ? day(Date.now()) : day(statSync(name).mtimeMs)),
    prices: isSeller ? list.prices.map(makersName) : list.prices,
    isSeller,
  };
}

/** OpenRouter's names begin with the maker's. */
function makersName(price: PriceInput): PriceInput {
  const bare = price.model.replace(/^[^/]+\//, '');
  return { ...price, model: bare.startsWith('claude-') ? bare.replaceAll('.', '-') : bare };
}
