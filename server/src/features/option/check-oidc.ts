import type { OidcCheck } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { jsonIn } from '#features/account/oauth/ask.ts';
import { isLoopback } from '#features/account/oauth/oidc.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
const field = 'OIDCIssuer';
const shown = z.string().check(z.maxLength(2000));
const names = z.array(shown);
const document = z.looseObject({ issuer: shown.check(z.minLength(1)) });
type Document = z.infer<typeof document>;
type Finding = OidcCheck['findings'][number];

interface Question {
  issuer: string;
  /** Comma-separated. */
  scopes: string;
  claims: string;
}

/**
 * Fetches an issuer's discovery document under the rules of sign-in (network, no redirects, HTTPS) and reports what
 * signing in would lack. Neither client ID nor secret is sent. Throws `outbound.*`, `option.oidc_document`.
 */
export async function checkOidc({ live, config }: Deps, question: Question): Promise<OidcCheck> {
  const url = documentOf(question.issuer);
  const { status, body } = await fetchGuarded(url.href, {
    reach: operatorReach({ config, live }),
    maxBytes: MOST_BYTES,
    timeoutMs: TIMEOUT_MS,
    accept: 'application/json',
    field,
    request: { method: 'GET', headers: {} },
  });
  ensure(status === 200, 'outbound.status', { field, host: url.host, status });
  const found = document.safeParse(jsonIn(body));
  if (!found.success) throw new AppError('option.oidc_document', { field });
  const { data } = found;
  const endpoints = [
    { name: 'authorization', address: addressIn(data, 'authorization_endpoint') },
    { name: 'token', address: addressIn(data, 'token_endpoint') },
    { name: 'userinfo', address: addressIn(data, 'userinfo_endpoint') },
    { name: 'jwks', address: addressIn(data, 'jwks_uri') },
  ] as const;
  return {
    document: url.href,
    issuer: data.issuer,
    endpoints: endpoints.filter((endpoint) => endpoint.address !== ''),
    findings: findingsIn(data, question),
  };
}

/** OpenID Connect Discovery 1.0, section 4. */
function documentOf(issuer: string): URL {
  const url = new URL(issuer); // the schema accepts URLs only
  url.pathname = `${url.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return url;
}

function findingsIn(found: Document, { issuer, scopes, claims }: Question): Finding[] {
  const bad = (problem: Finding['problem'], detail = ''): Finding => ({ problem, blocking: true, detail });
  const weak = (problem: Finding['problem'], detail = ''): Finding => ({ problem, blocking: false, detail });
  const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
  const anyTenant = found.issuer.includes('{tenantid}');
  const otherIssuer = URL.parse(found.issuer)?.href !== new URL(issuer).href;
  const flows = listIn(found, 'response_types_supported');
  // Without a list, only client_secret_basic is supported.
  const ways = listIn(found, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  const lackingScopes = absent(scopes, listIn(found, 'scopes_supported'));
  const lackingClaims = absent(claims, listIn(found, 'claims_supported'));
  return [
    ...(issuer.startsWith('http:') && !isLoopback(new URL(issuer)) ? [bad('http')] : []),
    ...(anyTenant ? [weak('any_tenant')] : otherIssuer ? [bad('issuer', found.issuer)] : []),
    ...needed.filter((name) => addressIn(found, name) === '').map((name) => bad('endpoint', name)),
    ...(flows && !flows.includes('code') ? [bad('flow')] : []),
    ...(ways.some((way) => /^client_secret_(basic|post)$/.test(way)) ? [] : [bad('client_auth', ways.join(', '))]),
    ...(lackingScopes.length > 0 ? [weak('scopes', lackingScopes.join(', '))] : []),
    // One claim of the list is enough to name an account.
    ...(lackingClaims.length === listed(claims).length && lackingClaims.length > 0
      ? [weak('claims', lackingClaims.join(', '))]
      : []),
  ];
}

/** Unusable members count as absent. */
const addressIn = (found: Document, name: string): string => shown.safeParse(found[name]).data ?? '';
const listIn = (found: Document, name: string): string[] | undefined => names.safeParse(found[name]).data;

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Entries of a comma-separated text that are not in the list; none without a list. */
const absent = (text: string, supported: readonly string[] | undefined): string[] =>
  supported ? listed(text).filter((part) => !supported.includes(part)) : [];
