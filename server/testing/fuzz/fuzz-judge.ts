import { statusOf } from '#errors.ts';
import type { FuzzOperation } from './fuzz-document.ts';

export interface FuzzAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** What tells of the inside of the server: places in its code, its database, its stored secrets. */
const inner: [what: string, shape: RegExp][] = [
  ['a stack trace', /(?:\n|\\n)\s+at .+:\d+:\d+/],
  ['a path of the server', /node_modules\/|\/server\/src\/|file:\/\/\/(?!etc)/],
  [
    'a word of the database',
    /SQLITE_|ERR_SQLITE|syntax error at or near|duplicate key value|relation "|no such column/i,
  ],
  ['a stored cipher', /\bv1\.[\w-]{38,}/],
  ['a password’s hash', /\$argon2id\$/],
];

const knownCodes = new Set<string>(Object.keys(statusOf));

/** Whether an answer says that nothing was done. */
export function isRefused({ status, text }: FuzzAnswer): boolean {
  return status >= 400 || text.startsWith('{"success":false');
}

/** What is wrong with an answer; nothing, if all is well. `secrets` are texts that nobody may ever be sent. */
export function judge(
  operation: FuzzOperation,
  answer: FuzzAnswer,
  { signedIn, secrets }: { signedIn: boolean; secrets: readonly string[] },
): string[] {
  const { status, text } = answer;
  const faults: string[] = [];
  for (const [what, shape] of inner) if (shape.test(text)) faults.push(`${what} in the answer`);
  for (const secret of secrets) if (text.includes(secret)) faults.push('a secret in the answer');
  if (operation.guarded && !signedIn && status < 400) faults.push('let somebody in who is not signed in');
  faults.push(...formFaults(operation, answer));
  return faults;
}

function formFaults({ answer: form }: FuzzOperation, { status, headers, text }: FuzzAnswer): string[] {
  if (status < 400 && form === 'bare') return isJson(text) ? [] : ['no JSON'];
  if (status === 200 && headers.has('content-disposition')) return form === 'file' ? [] : ['a file'];
  // Events and pictures are no downloads.
  if (status === 200 && form === 'file' && !headers.get('content-type')?.includes('json')) return [];
  const envelope = parsed(text);
  if (typeof envelope?.['success'] !== 'boolean' || typeof envelope['message'] !== 'string') return ['no envelope'];
  if (envelope['success']) return status === 200 ? [] : [`success with status ${status}`];
  const code = envelope['code'];
  if (typeof code !== 'string' || !knownCodes.has(code)) return [`a refusal with the code ${String(code)}`];
  const expected = statusOf[code as keyof typeof statusOf]; // one of its keys, see above
  if (expected !== status) return [`${code} with status ${status}`];
  // That an upstream failed, or that mail is not set up, is no failure of ours, and told with a code of its own.
  return status >= 500 && status !== 502 && status !== 503 ? [`status ${status}`] : [];
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isJson = (text: string): boolean => parsed(text) !== undefined;
