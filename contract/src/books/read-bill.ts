/** Formats of providers' exports, recognised by their columns. */
export const billFormats = ['openai', 'anthropic', 'openrouter', 'deepseek', 'aliyun', 'other'] as const;
export type BillFormat = (typeof billFormats)[number];

/** Meaning of a column of a bill. Several columns of one meaning are added up. */
export const billRoles = ['date', 'model', 'cost', 'requests', 'input', 'output'] as const;
export type BillRole = (typeof billRoles)[number];
export type BillColumns = Record<BillRole, string[]>;

/** A day of a model in a bill; quantities that the file does not have are null. */
export interface BillLine {
  /** `YYYY-MM-DD`, as the file has it. */
  date: string;
  model: string;
  /** In the currency of the bill. */
  cost: number | null;
  requests: number | null;
  input: number | null;
  output: number | null;
  /** Rows of the file. */
  rows: number;
}

export interface ReadBill {
  format: BillFormat;
  headings: string[];
  columns: BillColumns;
  lines: BillLine[];
  rows: number;
  /** Rows without a date. */
  skipped: number;
}

type Cells = ReadonlyMap<string, string>;
type Amounts = Partial<Record<Exclude<BillRole, 'date' | 'model'>, string>>;

interface Format {
  format: BillFormat;
  /** Columns that only this format has. */
  marks: readonly string[];
  columns: Partial<BillColumns>;
  /** Amounts and model of a row that is no plain record; left out: as the columns have them. */
  row?: (cells: Cells) => { model: string } & Amounts;
}

/** Sources: exports of the providers' consoles, as of 2026. The first that fits is taken. */
const formats: readonly Format[] = [
  {
    format: 'openai',
    marks: ['start_time_iso', 'line_item'],
    columns: { date: ['start_time_iso'], model: ['line_item'], cost: ['amount_value'] },
    row: (cells) => ofLineItem(cells.get('line_item') ?? '', cells),
  },
  {
    format: 'deepseek',
    marks: ['api_key_name', 'type', 'price', 'amount'],
    columns: {
      date: ['start_time_iso', 'utc_date'],
      model: ['model'],
      cost: ['price', 'amount'],
      requests: ['amount'],
    },
    row: (cells) => ofDeepSeek(cells),
  },
  {
    format: 'deepseek',
    marks: ['wallet_type', 'cost', 'model'],
    columns: { date: ['start_time_iso', 'utc_date'], model: ['model'], cost: ['cost'] },
  },
  {
    format: 'openai',
    marks: ['start_time_iso', 'end_time_iso'],
    columns: {
      date: ['start_time_iso'],
      model: ['model'],
      requests: ['num_model_requests'],
      input: ['input_tokens'],
      output: ['output_tokens'],
    },
  },
  {
    format: 'anthropic',
    marks: ['usage_date_utc', 'cost_usd'],
    columns: { date: ['usage_date_utc'], model: ['model'], cost: ['cost_usd'] },
  },
  {
    format: 'anthropic',
    marks: ['usage_date_utc', 'usage_output_tokens'],
    columns: {
      date: ['usage_date_utc'],
      model: ['model_version'],
      input: [
        'usage_input_tokens_no_cache',
        'usage_input_tokens_cache_write_5m',
        'usage_input_tokens_cache_write_1h',
        'usage_input_tokens_cache_read',
      ],
      output: ['usage_output_tokens'],
    },
  },
  {
    format: 'openrouter',
    marks: ['slug', 'byok usage inference|byok usage', 'prompt tokens'],
    columns: {
      date: ['date'],
      model: ['slug'],
      cost: ['usage'],
      requests: ['requests'],
      input: ['prompt tokens'],
      output: ['completion tokens'],
    },
  },
  {
    format: 'aliyun',
    marks: ['billingdate|消费时间|账单日期', 'pretaxamount|应付金额'],
    columns: {
      date: ['billingdate', '消费时间', '账单日期'],
      model: ['instanceid', '实例id'],
      cost: ['pretaxamount', '应付金额'],
    },
  },
];

/** Words of headings by which the columns of an unknown file are guessed. */
const guesses: readonly [BillRole, RegExp][] = [
  ['date', /date|day|time|日期|时间/],
  ['model', /model|slug|模型/],
  ['cost', /cost|amount|charge|金额|费用/],
  ['requests', /request|calls|请求|次数/],
  ['input', /input|prompt|输入/],
  ['output', /output|completion|输出/],
];

/** Reads a bill. `chosen`: the meaning of the columns; left out: by the format. Undefined: no table with a heading. */
export function readBill(text: string, chosen?: BillColumns): ReadBill | undefined {
  const [headings, ...rows] = tableIn(text);
  if (!headings || headings.length < 2) return undefined;
  const names = headings.map((heading) => heading.trim().toLowerCase());
  const known = formats.find(({ marks }) =>
    marks.every((mark) => mark.split('|').some((name) => names.includes(name))),
  );
  const columns = chosen ?? columnsOf(known, names);
  const lines = new Map<string, BillLine & { sums: Map<BillRole, bigint> }>();
  let skipped = 0;
  for (const row of rows) {
    const cells = new Map(names.map((name, at) => [name, row[at] ?? '']));
    const date = dateIn(columns.date.map((name) => cells.get(name) ?? '').find((cell) => cell !== '') ?? '');
    if (date === undefined) {
      skipped++;
      continue;
    }
    const special = chosen ? undefined : known?.row?.(cells);
    const model =
      special?.model ?? columns.model.map((name) => cells.get(name) ?? '').find((cell) => cell !== '') ?? '';
    const key = `${date} ${model}`;
    let line = lines.get(key);
    if (!line) {
      const none = { cost: null, requests: null, input: null, output: null };
      lines.set(key, (line = { date, model, ...none, rows: 0, sums: new Map() }));
    }
    line.rows++;
    for (const role of ['cost', 'requests', 'input', 'output'] as const) {
      const found = special ? [special[role] ?? ''] : columns[role].map((name) => cells.get(name) ?? '');
      for (const cell of found) {
        const amount = decimalIn(cell);
        if (amount !== undefined) line.sums.set(role, (line.sums.get(role) ?? 0n) + amount);
      }
    }
  }
  return {
    format: known?.format ?? 'other',
    headings: names,
    columns,
    lines: [...lines.values()].map(({ sums, ...line }) => {
      const of = (role: BillRole) => (sums.has(role) ? Number(sums.get(role)) / 1e12 : null);
      return { ...line, cost: of('cost'), requests: of('requests'), input: of('input'), output: of('output') };
    }),
    rows: rows.length,
    skipped,
  };
}

function columnsOf(known: Format | undefined, names: readonly string[]): BillColumns {
  const none: BillColumns = { date: [], model: [], cost: [], requests: [], input: [], output: [] };
  if (known) {
    for (const role of billRoles) none[role] = (known.columns[role] ?? []).filter((name) => names.includes(name));
    return none;
  }
  for (const [role, pattern] of guesses) {
    const found = names.find((name) => pattern.test(name));
    if (found !== undefined) none[role] = [found];
  }
  return none;
}

/** `[<tier> | ]<model>[ <modality>], <direction>[, long context]`; other items keep their whole text. */
function ofLineItem(item: string, cells: Cells): { model: string } & Amounts {
  const cost = cells.get('amount_value') ?? cells.get('amount') ?? '';
  const quantity = cells.get('quantity') ?? '';
  const parts = item.split(', ');
  const direction = parts.find((part) => ['input', 'cached input', 'cache writes', 'output'].includes(part));
  if (direction === undefined) return { model: item, cost };
  const model =
    (parts[0] ?? '')
      .split(' | ')
      .at(-1)
      ?.replace(/ (audio|image|text)$/, '') ?? '';
  return { model, cost, [direction === 'output' ? 'output' : 'input']: quantity };
}

/** One row for each kind of tokens, with their price. */
function ofDeepSeek(cells: Cells): { model: string } & Amounts {
  const [model = '', type = '', price = '', amount = ''] = ['model', 'type', 'price', 'amount'].map((name) =>
    cells.get(name),
  );
  if (type === 'request_count') return { model, requests: amount };
  const cost = productOf(price, amount);
  return { model, cost, [type.startsWith('output') ? 'output' : 'input']: amount };
}

function productOf(price: string, amount: string): string {
  const [a, b] = [decimalIn(price), decimalIn(amount)];
  if (a === undefined || b === undefined) return '';
  const digits = (a * b) / 10n ** 12n;
  return `${digits / 10n ** 12n}.${String(digits % 10n ** 12n).padStart(12, '0')}`;
}

/** A decimal in units of 10^-12; undefined: no number. */
function decimalIn(cell: string): bigint | undefined {
  const plain = cell.replace(/[,$¥￥\s]/g, '');
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(plain);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = 12 - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -amount : amount;
}

/** `YYYY-MM-DD` of the usual forms of a date or time, without a change of zone; undefined: none. */
function dateIn(cell: string): string | undefined {
  const text = cell.trim();
  const iso = /^(\d{4})[-/.年]?(\d{2})[-/.月]?(\d{2})/.exec(text);
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1000).toISOString().slice(0, 10);
  if (iso) return `${iso[1]}-${iso[2]}-${iso[3]}`;
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text);
  return american ? `${american[3]}-${american[1]?.padStart(2, '0')}-${american[2]?.padStart(2, '0')}` : undefined;
}

/** Cells of a text with commas, semicolons or tabs, and quotes as in RFC 4180. Empty rows are left out. */
function tableIn(text: string): string[][] {
  const body = text.replace(/^\uFEFF/, '');
  const head = body.slice(0, body.search(/[\r\n]|$/));
  const separator = [',', ';', '\t'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((each) => each !== '')) rows.push(row);
    [row, cell] = [[], ''];
  };
  for (let at = 0; at < body.length; at++) {
    const char = body.charAt(at);
    if (quoted) {
      if (char !== '"') cell += char;
      else if (body.charAt(at + 1) === '"') cell += body.charAt(++at);
      else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === separator) {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  endRow();
  return rows;
}

/** A model's name for comparison: without the maker, the date at its end, spaces and dots. */
export const modelKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/[\s._]+/g, '-')
    .replace(/-(?:20\d{2}-?\d{2}-?\d{2}|latest)$/, '');
