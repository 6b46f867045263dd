import type { Stripe } from 'stripe';
import { asError } from '#caught-error.ts';
import { masked } from '#secrets.ts';
import { type GatewayContext, GatewayError, type GatewayRequest } from '#payments/gateway.ts';
import { STRIPE_ORIGIN } from './stripe-form.ts';

/** The library takes 40 MB of memory, so it is loaded with the first payment. */
export const loadStripe = async (): Promise<typeof Stripe> => (await import('stripe')).Stripe;

const TIMEOUT_MS = 30_000;

/** Runs requests with a client of this gateway. Throws only `GatewayError`. */
export async function withStripe<T>(context: GatewayContext, work: (stripe: Stripe) => Promise<T>): Promise<T> {
  const Library = await loadStripe();
  try {
    return await work(clientOf(Library, context));
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw asGatewayError(error instanceof Library.errors.StripeError ? error : asError(error), context.config);
  }
}

function clientOf(Library: typeof Stripe, context: GatewayContext): Stripe {
  const { secret_key: key = '', api_base: origin } = context.config;
  if (key === '') throw new GatewayError('refused', 'the secret key is empty', 'secret_key');
  const base = new URL(origin || STRIPE_ORIGIN);
  return new Library(key, {
    host: base.hostname,
    port: base.port || (base.protocol === 'http:' ? '80' : '443'),
    protocol: base.protocol === 'http:' ? 'http' : 'https',
    httpClient: Library.createFetchHttpClient((input, init) => {
      const address = input instanceof Request ? input.url : input.toString();
      return fetchThrough(context, address, init);
    }),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Length and encoding are decided by the outbound client. */
const droppedHeaders = new Set(['content-length', 'accept-encoding', 'connection', 'host']);

async function fetchThrough(context: GatewayContext, address: string, init: RequestInit = {}): Promise<Response> {
  const named = [...new Headers(init.headers)].filter(([name]) => !droppedHeaders.has(name));
  const { status, headers, body } = await context.send({
    method: (init.method ?? 'GET') as GatewayRequest['method'], // the library's v1 methods are these three
    address,
    headers: Object.fromEntries(named),
    ...(typeof init.body === 'string' && init.body !== '' && { body: init.body }),
  });
  // Notices of Stripe to developers would be printed as process warnings.
  const kept = Object.entries(headers).filter(([name]) => name !== 'stripe-notice');
  return new Response(status === 204 || status === 304 ? null : new Uint8Array(body), { status, headers: kept });
}

/** `unknown` if the request may have been executed: no reply, server error, or the same key in another request. */
function asGatewayError(error: Error | Stripe.errors.StripeError, config: GatewayContext['config']): GatewayError {
  if (!('rawType' in error)) return new GatewayError('unknown', `Stripe: ${error.message.slice(0, 300)}`);
  if (error.detail instanceof GatewayError) return error.detail;
  const { statusCode = 0, type } = error;
  const isRefused = statusCode >= 400 && statusCode < 500 && statusCode !== 409 && type !== 'StripeIdempotencyError';
  const message = masked(`Stripe: ${error.message.slice(0, 500)}`, ...Object.values(config).filter(isSecret));
  return new GatewayError(isRefused ? 'refused' : 'unknown', message, error.code ?? type);
}

const isSecret = (value: string): boolean => /^([sr]k|whsec)_/.test(value);

/** The id of a related object, which may be expanded or absent. */
export const idOf = (related: string | { id: string } | null | undefined): string =>
  typeof related === 'string' ? related : (related?.id ?? '');
