import type { FastifyInstance } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { isSecure } from './client-ip.ts';

const YEAR_S = 31_536_000;

/** What browsers ask before a page of ours uses it; everything else that a page could ask for is off. */
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

/** For what is read by programs: nothing in it may run, load or be framed, whatever a browser takes it for. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

const everywhere = {
  'content-security-policy': dataPolicy,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** What means something for a page alone; a page brings two dozen files and answers that would each repeat it. */
const onPages = {
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'same-origin',
  'permissions-policy': permissions,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'x-permitted-cross-domain-policies': 'none',
};

/** What a page says of itself beside what every answer says; in the place of the policy of data stands `policy`. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  ...onPages,
  'content-security-policy': policy,
});

/** Origins beyond our own that a page needs: a widget that proves a visitor to be human, as the operator set it up. */
export interface PolicyOptions {
  widgets?: readonly string[];
  /** Scripts that are written into the page itself, by the hash of their text. */
  inline?: readonly string[];
}

/** The Content-Security-Policy of a page: its scripts are files of ours, or known to the letter by their hash. */
export function pagePolicy({ widgets = [], inline = [] }: PolicyOptions = {}): string {
  const allowed = widgets.map((origin) => ` ${origin}`).join('');
  const known = inline.map((hash) => ` '${hash}'`).join('');
  return [
    "default-src 'self'",
    `script-src 'self'${known}${allowed}`,
    "script-src-attr 'none'",
    // Popups and toasts are placed with styles that are made at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "font-src 'self'",
    "media-src 'self' data: blob: https:",
    `connect-src 'self'${allowed}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    // The operator may put an address in the place of a page.
    'frame-src https: http:',
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** Puts on every answer what tells browsers to be careful with it; a page puts `pageHeaders` over it. */
export function secureHeaders(app: FastifyInstance, { config }: Pick<BaseDeps, 'config'>): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(everywhere);
    // Said over plain HTTP it would mean nothing, and a site that has no TLS yet must stay in reach.
    if (isSecure(request.raw, config.trustedProxies))
      void reply.header('strict-transport-security', `max-age=${YEAR_S}`);
  });
}
