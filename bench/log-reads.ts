import { median, percentile } from './statistics.ts';

/** Client of the management API with an administrator's session. */
export class Reader {
  readonly #url: string;
  #cookie = '';

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`;
  }

  async signIn(password: string): Promise<this> {
    const answer = await fetch(`${this.#url}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password }),
    });
    this.#cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    if (this.#cookie === '') throw new Error(`could not sign in: ${await answer.text()}`);
    return this;
  }

  async text(path: string): Promise<string> {
    const answer = await fetch(this.#url + path, { headers: { cookie: this.#cookie } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text;
  }

  /** Creates or changes a resource and returns the `data` of the reply. */
  async make<T>(path: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<T> {
    const headers = { 'content-type': 'application/json', cookie: this.#cookie };
    const answer = await fetch(this.#url + path, { method, headers, body: JSON.stringify(body) });
    const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
    if (!success) throw new Error(`${path}: ${answer.status} ${message}`);
    return data;
  }

  async data<T>(path: string): Promise<T> {
    return (JSON.parse(await this.text(path)) as { data: T }).data; // type of the endpoint behind the path
  }
}

interface Page {
  data: { request_id: string; created_at: number }[];
  total_count: number;
  next: string;
}

export interface ReadTimes {
  name: string;
  medianMs: number;
  p95Ms: number;
}

const TIMES = 15;

/** Measures every kind of log query over HTTP, up to the end of the reply. */
export async function timeReads(reader: Reader): Promise<ReadTimes[]> {
  const times: ReadTimes[] = [];
  for (const [name, path] of Object.entries(await readsOf(reader))) {
    const took: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const startMs = performance.now();
      await reader.text(path);
      took.push(performance.now() - startMs);
    }
    times.push({ name, medianMs: median(took), p95Ms: percentile(took, 95) });
  }
  return times;
}

/** Queries of an operator by description; some depend on the existing data. */
async function readsOf(reader: Reader): Promise<Record<string, string>> {
  const list = (query: string): string => `/api/log/?size=100&${query}`;
  const { data, total_count: rows } = await reader.data<Page>(list(''));
  const half = await reader.data<Page>(list(`page=${Math.ceil(rows / 200)}`));
  const monthAgo = Math.floor(Date.now() / 1000) - 30 * 86_400;
  return {
    'page 1': list(''),
    'page 1, 10 rows': '/api/log/?size=10',
    'page 5,000 of 10 rows': '/api/log/?size=10&page=5000',
    'the page in the middle': list(`page=${Math.ceil(rows / 200)}`),
    'the page after it': list(`after=${half.next}`),
    'the last page': list(`page=${Math.ceil(rows / 100)}`),
    'oldest first, in the middle': list(`order=created_at&page=${Math.ceil(rows / 200)}`),
    'of a busy user': list('username=root'),
    'of a user, in the middle': list(`username=root&page=${Math.ceil(rows / 1200)}`),
    'of a channel': list('channel_id=7'),
    'of a model': list('model_name=gpt-4o'),
    'of a rare model': list('model_name=text-embedding-3-large'),
    'of models by prefix, deep': list(`model_name=gpt-4*&page=${Math.ceil(rows / 600)}`),
    'of a user and a model': list('username=root&model_name=gpt-4o'),
    'only failed': list('failed=1'),
    'top-ups': list('log_type=1'),
    'calls of the last month, deep': list(`log_type=2&start_timestamp=${monthAgo}&page=${Math.ceil(rows / 400)}`),
    'by request id': list(`request_id=${data[50]?.request_id}`),
    'by token, without an index': list('token_name=research'),
    'by IP, without an index': list('source_ip=203.0.5.7'),
    'by cost': list('order=-quota'),
    'own page 1': '/api/log/self?size=100',
    'totals of all': '/api/log/stat',
    'totals of a month': `/api/log/stat?start_timestamp=${monthAgo}`,
    'totals of a user': '/api/log/stat?username=root',
    'totals of a model, a month': `/api/log/stat?model_name=gpt-4o&start_timestamp=${monthAgo}`,
    '30 days by model': '/api/analytics/usage?days=30&by=model',
    '30 days by channel': '/api/analytics/usage?days=30&by=channel',
    '30 days of a user': '/api/analytics/usage?days=30&by=model&username=root',
    'the user’s dashboard': '/api/user/dashboard',
  };
}

/** Runs the slowest queries in sequence until aborted. Returns their number. */
export async function readHeavily(reader: Reader, until: AbortSignal): Promise<number> {
  const heavy = [
    '/api/analytics/usage?days=366&by=channel',
    '/api/log/?size=100&token_name=nobody-has-this',
    '/api/log/stat?token_name=nobody-has-this',
    '/api/analytics/usage?days=366&by=user',
    '/api/log/?size=100&order=-quota',
    `/api/log/export?model_name=gpt-4o&start_timestamp=${Math.floor(Date.now() / 1000) - 5 * 86_400}`,
  ];
  let count = 0;
  while (!until.aborted) await reader.text(heavy[count++ % heavy.length]!);
  return count;
}
