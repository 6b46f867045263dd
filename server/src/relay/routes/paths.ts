/** The paths that call no model: one table, searched from its start. */
import { fileRows } from '#relay/objects/files.ts';
import { conversationRows } from '#relay/objects/conversations.ts';
import { googleRows } from '#relay/objects/google-objects.ts';
import { hostedRows } from '#relay/objects/hosted-objects.ts';
import { skillRows } from '#relay/objects/skills.ts';
import { responseRows } from '#relay/objects/stored-responses.ts';
import { tokenCountRows } from '#relay/model/count-tokens.ts';
import { passedRows } from '#relay/pass-through/pass-through.ts';
import { clientSecretRows } from '#relay/realtime/client-secrets.ts';
import { webSocketRows } from '#relay/realtime/realtime-path.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathMethod, PathOwner, PathRow, ServedPath } from '#relay/types/path-row.ts';
import { billingRows } from './billing.ts';
import { baseAddress, callName, callRows, dialectOf, isCallPath } from './endpoints.ts';
import { generationRows } from './generation.ts';
import { keyRows } from './key-info.ts';
import { modelRows } from './models.ts';

/** Includes paths that call models, whose methods other than POST are answered here. */
export const pathRows: readonly PathRow[] = [
  ...callRows,
  ...tokenCountRows,
  ...billingRows,
  ...keyRows,
  ...generationRows,
  ...modelRows,
  ...webSocketRows,
  ...clientSecretRows,
  ...responseRows,
  ...conversationRows,
  ...googleRows,
  ...skillRows,
  ...hostedRows,
  ...fileRows,
  ...passedRows,
];

/** Patterns of the parts in braces. Answers get them undecoded. */
const parts: Readonly<Record<string, string>> = {
  '{id}': '([\\w.-]{1,256})',
  '{name}': '([\\w.-]{1,128})',
  '{model}': '(.+)',
  '{resource}': '([^:]+)',
  // The version of Google's API; no part.
  '{version}': 'v\\d[\\w.-]*',
};

function patternOf(path: string): RegExp {
  const pattern = path
    .replaceAll('.', '\\.')
    // Before an action, the name may hold colons.
    .replaceAll('{resource}:', '(.+):')
    .replace(/\{\w+\}/g, (part) => parts[part] ?? part)
    .replace(/\/\*$/, '(?:/.*)?');
  return new RegExp(`^${pattern}$`);
}

const hasParts = ({ path }: PathRow): boolean => /[{*]/.test(path);
const fixed = Map.groupBy(
  pathRows.filter((row) => !hasParts(row)),
  ({ path }) => path,
);
const patterns = pathRows.filter(hasParts).map((row) => ({ row, pattern: patternOf(row.path) }));

/** Whether a path is in the table, and has no parts. */
export const isFixedPath = (path: string): boolean => isCallPath(path) || fixed.has(path);

/** Rows of a path. A path without parts is never an id in another. */
function* rowsOf(path: string): Generator<ServedPath> {
  const rows = fixed.get(path);
  if (rows) yield* rows;
  for (const { row, pattern } of patterns) {
    const found = rows && row.path.includes('{') ? null : pattern.exec(path);
    if (found) yield { ...row, parts: found.slice(1) };
  }
}

function* servedAt(path: string, owners: readonly PathOwner[]): Generator<ServedPath> {
  for (const owner of owners) {
    const served = owner.find(path);
    if (served) yield served;
  }
  yield* rowsOf(path);
}

/**
 * Answers a request by the first row that has its method: `owners` first, then the table. Rejects with a `RelayError`, a
 * 404 or 405 without such a row.
 */
export async function answerPath(context: HttpContext, path: string, owners: readonly PathOwner[]): Promise<void> {
  const { request } = context;
  // Node leaves the body out of a response to HEAD.
  const method = (request.method === 'HEAD' ? 'GET' : request.method) as PathMethod; // other methods have no answer
  let allow: string | undefined;
  for (const { when, answers, parts: named = [] } of servedAt(path, owners)) {
    if (when?.(request) === false) continue;
    const answer = typeof answers === 'function' ? answers : answers[method];
    if (answer) return answer(context, named);
    allow ??= allowed(answers);
  }
  throw allow === undefined ? unknownUrl(context, path) : methodNotAllowed(context, path, allow);
}

/** The methods of a row as `Allow` lists them. */
export const allowed = (answers: PathRow['answers']): string =>
  [...Object.keys(answers).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name)), 'OPTIONS'].join(', ');

function unknownUrl({ deps, request }: HttpContext, path: string): RelayError {
  const { live, config } = deps;
  const site = live.settings.ServerAddress || config.basePath;
  const base = baseAddress(dialectOf(request.url ?? '/', request.headers), site);
  const message = `Invalid URL (${request.method} ${path}). The base address for API clients is ${base}`;
  return new RelayError(404, message, { type: 'invalid_request_error', code: 'unknown_url' });
}

const methodNotAllowed = ({ request }: HttpContext, path: string, allow: string): RelayError =>
  new RelayError(405, `Invalid URL (${request.method} ${path})`, {
    type: 'invalid_request_error',
    code: 'method_not_allowed',
    headers: { allow },
  });

/** Name of a path in logs and metrics, valid request or not; `other` for unknown paths. */
export function pathName(path: string, owners: readonly PathOwner[]): string {
  if (isCallPath(path)) return path;
  for (const { endpoint } of servedAt(path, owners)) if (endpoint !== undefined) return endpoint;
  return callName(path) ?? 'other';
}
