import type { FastifyInstance } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { isSecure } from './client-ip.ts';

const YEAR_S = 31_536_000;

/** Browser features that our pages use; all others are turned off. */
const permissions = [
  'accelerometer=()',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'gyroscope=()',
  'magnetometer=()',
  'microphone=()',
  'midi=()',
  'payment=()',
  'usb=()',
  'clipboard-read=(self)',
  'clipboard-write=(self)',
  'publickey-credentials-create=(self)',
  'publickey-credentials-get=(self)',
].join(', ');

/** For API replies: nothing in them may run, load or be framed, even if a browser misreads the type. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

const everywhere = {
  'content-security-policy': dataPolicy,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Headers that matter for pages only; dozens of files per page would repeat them. */
const onPages = {
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'same-origin',
  'permissions-policy': permissions,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'x-permitted-cross-domain-policies': 'none',
};

/** Headers of a page in addition to those of every reply; `policy` replaces the policy for data. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  ...onPages,
  'content-security-policy': policy,
});

/** Extra origins that a page needs, as for the Turnstile widget. */
export interface PolicyOptions {
  widgets?: readonly string[];
  /** Inline scripts, by hash. */
  inline?: readonly string[];
  /** Origins that may be shown in a frame. */
  framed?: readonly string[];
}

/** The Content-Security-Policy of a page: scripts are our files, or inline with a known hash. */
export function pagePolicy({ widgets = [], inline = [], framed = [] }: PolicyOptions = {}): string {
  const allowed = widgets.map((origin) => ` ${origin}`).join('');
  const known = inline.map((hash) => ` '${hash}'`).join('');
  return [
    "default-src 'self'",
    `script-src 'self'${known}${allowed}`,
    "script-src-attr 'none'",
    // Popups and toasts are positioned with inline styles.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "font-src 'self'",
    "media-src 'self' data: blob: https:",
    `connect-src 'self'${allowed}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    `frame-src ${[...new Set(["'self'", ...widgets, ...framed])].join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    // Some payment gateways take the order as a form, and redirect it to other hosts.
    "form-action 'self' https: http:",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** Sets security headers on every reply; pages add `pageHeaders`. */
export function secureHeaders(app: FastifyInstance, { config }: Pick<BaseDeps, 'config'>): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(everywhere);
    // HSTS has no meaning over plain HTTP, and a site without TLS must stay reachable.
    if (isSecure(request.raw, config.trustedProxies))
      void reply.header('strict-transport-security', `max-age=${YEAR_S}`);
  });
}
