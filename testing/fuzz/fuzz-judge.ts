import { statusOf } from '#errors.ts';
import type { FuzzOperation } from './fuzz-document.ts';

export interface FuzzAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Patterns that reveal internals: source positions, database, stored secrets. */
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

/** Whether a reply means that nothing was changed. */
export function isRefused({ status, text }: FuzzAnswer): boolean {
  return status >= 400 || text.startsWith('{"success":false');
}

/** The faults of a reply. `secrets` are texts that must never be sent. */
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

/** Operations with an older form of their reply, a list without an envelope. */
const formerLists = new Set(['GET /api/prices']);

function formFaults({ answer: form, name }: FuzzOperation, { status, headers, text }: FuzzAnswer): string[] {
  if (status === 200 && formerLists.has(name) && text.startsWith('[')) return [];
  if (status < 400 && form === 'bare') return isJson(text) ? [] : ['no JSON'];
  if (status === 200 && headers.has('content-disposition')) return form === 'file' ? [] : ['a file'];
  // Event streams and pictures are not downloads.
  if (status === 200 && form === 'file' && !headers.get('content-type')?.includes('json')) return [];
  const envelope = parsed(text);
  if (typeof envelope?.['success'] !== 'boolean' || typeof envelope['message'] !== 'string') return ['no envelope'];
  if (envelope['success']) return status === 200 ? [] : [`success with status ${status}`];
  const code = envelope['code'];
  if (typeof code !== 'string' || !knownCodes.has(code)) return [`a refusal with the code ${String(code)}`];
  const expected = statusOf[code as keyof typeof statusOf]; // checked above
  if (expected !== status) return [`${code} with status ${status}`];
  // A failed upstream or missing mail server is not our failure and has its own code.
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
