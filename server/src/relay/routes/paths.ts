/** The paths of API clients: one table, searched from its start. */
import { fileRows } from '#relay/objects/files.ts';
import { conversationRows } from '#relay/objects/conversations.ts';
import { googleRows } from '#relay/objects/google-objects.ts';
import { hostedRows } from '#relay/objects/hosted-objects.ts';
import { skillRows } from '#relay/objects/skills.ts';
import { responseRows } from '#relay/objects/stored-responses.ts';
import { tokenCountRows } from '#relay/model/count-tokens.ts';
import { recraftErrorBody } from '#relay/dialects/recraft.ts';
import { passedRows } from '#relay/pass-through/pass-through.ts';
import { clientSecretRows } from '#relay/realtime/client-secrets.ts';
import { liveTokenRows } from '#relay/realtime/live-tokens.ts';
import { webSocketRows } from '#relay/realtime/realtime-path.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswers, PathMethod, PathRow } from '#relay/types/path-row.ts';
import { billingRows } from './billing.ts';
import { actionName, baseAddress, callRows, dialectOf, unknownAction } from './endpoints.ts';
import { generationRows } from './generation.ts';
import { keyRows } from './key-info.ts';
import { modelRows } from './models.ts';

/** The relay's own rows. They include paths that call models, whose methods other than POST are answered here. */
export const relayRows: readonly PathRow[] = [
  ...callRows,
  ...tokenCountRows,
  ...billingRows,
  ...keyRows,
  ...generationRows,
  ...modelRows,
  ...webSocketRows,
  ...clientSecretRows,
  ...liveTokenRows,
  ...responseRows,
  ...conversationRows,
  ...googleRows,
  ...skillRows,
  ...hostedRows,
  ...fileRows,
  ...passedRows,
  ...['/v1/*', '/claude/*', '/gemini/*', '/dashboard/billing/*'].map((path): PathRow => ({ path })),
  { path: '/recraftAI/*', errorBody: recraftErrorBody },
];

/** Patterns of the parts in braces. Answers get them undecoded, except of groups that are not captured. */
const parts: Readonly<Record<string, string>> = {
  '{id}': '([\\w.-]{1,256})',
  '{name}': '([\\w.-]{1,128})',
  '{model}': '(.+)',
  '{resource}': '([^:]+)',
  '{text}': '([^/]{1,300})',
  '{number}': '(\\d{1,3})',
  '{mode}': '[a-z]+',
  '{version}': 'v\\d[\\w.-]*',
  '{project}': '[\\w.:-]+',
  '{location}': '[\\w-]+',
};

const sourceOf = (path: string): string =>
  path
    .replaceAll('.', '\\.')
    // Before an action, the name may hold colons.
    .replaceAll('{resource}:', '(.+):')
    .replace(/\{\w+\}/g, (part) => parts[part] ?? part)
    .replace(/\/\*$/, '(?:/.*)?');

const hasParts = ({ path }: PathRow): boolean => /[{*]/.test(path);

/** The table of paths of a relay. */
export class PathTable {
  readonly #fixed: ReadonlyMap<string, readonly PathRow[]>;
  readonly #patterns: readonly { row: PathRow; pattern: RegExp }[];
  readonly #prefixes: RegExp;

  constructor(rows: readonly PathRow[]) {
    this.#fixed = Map.groupBy(
      rows.filter((row) => !hasParts(row)),
      ({ path }) => path,
    );
    this.#patterns = rows.filter(hasParts).map((row) => ({ row, pattern: new RegExp(`^${sourceOf(row.path)}$`) }));
    const prefixes = rows.filter(({ answers }) => !answers).map(({ path }) => sourceOf(path.slice(0, -2)));
    this.#prefixes = new RegExp(`^(?:${prefixes.join('|')})(?:[/?]|$)`);
  }

  /** Whether a URL is one of API clients. */
  owns(url: string): boolean {
    return this.#fixed.has(url) || this.#prefixes.test(url);
  }

  /** Rows of a path, with its parts. A path without parts is never an id in another. */
  *#rowsOf(path: string): Generator<PathRow & { parts?: readonly string[] }> {
    const rows = this.#fixed.get(path);
    if (rows) yield* rows;
    for (const { row, pattern } of this.#patterns) {
      const found = rows && row.path.includes('{') ? null : pattern.exec(path);
      if (found) yield { ...row, parts: found.slice(1) };
    }
  }

  /**
   * Answers a request by the first row that has its method. Rejects with a `RelayError`, a 404 or 405 without such a
   * row.
   */
  async answer(context: HttpContext, path: string): Promise<void> {
    const { request } = context;
    // Node leaves the body out of a response to HEAD.
    const method = (request.method === 'HEAD' ? 'GET' : request.method) as PathMethod; // other methods have no answer
    let allow: string | undefined;
    for (const { when, answers, parts: named = [] } of this.#rowsOf(path)) {
      if (!answers || when?.(request) === false) continue;
      const answer = typeof answers === 'function' ? answers : answers[method];
      if (answer) return answer(context, named);
      allow ??= allowed(answers);
    }
    throw allow === undefined
      ? (unknownAction(path) ?? unknownUrl(context, path))
      : methodNotAllowed(context, path, allow);
  }

  /** Name of a path in logs and metrics, valid request or not; `other` for unknown paths. */
  nameOf(path: string): string {
    for (const { endpoint } of this.#rowsOf(path)) if (endpoint !== undefined) return endpoint;
    return actionName(path) ?? 'other';
  }

  /** The error body of a path with its own form of errors; undefined: its dialect has it. */
  errorBody(path: string, refusal: RelayError, requestId: string): string | undefined {
    for (const { errorBody } of this.#rowsOf(path)) {
      const body = errorBody?.(refusal, requestId);
      if (body !== undefined) return body;
    }
    return undefined;
  }
}

/** The methods of a row as `Allow` lists them. */
export const allowed = (answers: PathAnswers): string =>
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
