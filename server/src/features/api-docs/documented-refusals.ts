import { accessAreaOf, accountRoles } from '@relay-hub/contract';
import type { DeclaredEndpoint } from '@relay-hub/contract/registry';
import type * as z from 'zod/mini';
import { type ErrorCode, statusOf } from '#errors.ts';
import { errorTextOf } from '#i18n/language.ts';
import { declaredRefusals } from './declared-refusals.ts';

/** Codes with which any request may be refused. */
export const anywhere: readonly ErrorCode[] = [
  'request.malformed',
  'request.timeout',
  'request.too_many',
  'request.headers_too_large',
  'address.blocked',
  'server.failed',
  'server.busy',
  'server.out_of_files',
  'database.away',
  'database.damaged',
];
const withBody: readonly ErrorCode[] = ['input.not_json', 'body.too_deep', 'body.too_large', 'body.type'];

/** Statuses whose codes are mostly the same everywhere, and what they are called in the document. */
const shared: Record<number, string> = {
  401: 'NotSignedIn',
  408: 'RequestTimeout',
  413: 'BodyTooLarge',
  415: 'BodyType',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'ServerFailed',
  503: 'Unavailable',
};

const isNothing = (schema: z.ZodMiniType): boolean => schema._zod.def.type === 'undefined';

/** Every code with which an endpoint may refuse: by its audience, its schemas, and `declaredRefusals`. */
export function refusalCodesOf(endpoint: DeclaredEndpoint): ErrorCode[] {
  const { method, audience, params, query, body, changes, name, noun } = endpoint;
  const isOpen = audience === 'public' || audience === 'visitor';
  const order = (query as Partial<z.ZodMiniObject>).shape?.['order'];
  const codes = new Set<ErrorCode>([
    ...anywhere,
    ...(method === 'GET' ? [] : withBody),
    ...([params, query, body].every(isNothing) ? [] : (['input.invalid'] as const)),
    ...(order === undefined ? [] : (['list.order'] as const)),
    ...(isNothing(params) ? [] : (['route.unknown', 'route.absent'] as const)),
    ...(isOpen ? [] : (['session.none'] as const)),
    ...(isOpen || audience === 'user' ? [] : (['session.role', 'session.two_step'] as const)),
    ...(isOpen ? [] : ([accessAreaOf(noun) ? 'session.scope' : 'session.scope_never'] as const)),
    ...(accountRoles[name] ? (['account.none', 'account.role'] as const) : []),
    ...(changes ? (['request.cross_site'] as const) : []),
    ...(declaredRefusals[name] ?? []),
  ]);
  return [...codes];
}

/** Responses of refusals by status, except for 200, which a few old endpoints have for both. */
export function refusalResponses(codes: readonly ErrorCode[]): Record<number, object> {
  const byStatus = Object.groupBy(codes, (code) => statusOf[code]);
  return Object.fromEntries(
    Object.entries(byStatus)
      .filter(([status]) => status !== '200')
      .map(([status, its]) => {
        const name = shared[Number(status)];
        const isUsual = name !== undefined && its.every((code) => usual.has(code));
        return [status, isUsual ? { $ref: `#/components/responses/${name}` } : responseOf(its)];
      }),
  );
}

const usual = new Set<ErrorCode>([...anywhere, ...withBody, 'session.none']);

/** Responses that operations refer to. */
export function sharedResponses(): Record<string, object> {
  const byStatus = Object.groupBy([...usual], (code) => statusOf[code]);
  return Object.fromEntries(
    Object.entries(shared).map(([status, name]) => [name, responseOf(byStatus[Number(status) as 401] ?? [])]),
  );
}

export const describeCodes = (codes: readonly ErrorCode[]): string =>
  codes
    .map((code) => {
      const text = errorTextOf(code);
      return text === '' ? `\`${code}\`` : `\`${code}\`: ${text}`;
    })
    .join('\n\n');

const responseOf = (codes: readonly ErrorCode[]): object => ({
  description: describeCodes(codes),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
});
