import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { AuthenticatedCaller, CallContext, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { otherUses, usesOf } from './cap-uses.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/** OpenAI's legacy billing API: the limit of a key, or what it has spent. */
type BillingQuery = 'subscription' | 'usage';

/** Requests per address within the window. */
const MAX_QUERIES = 180;
const WINDOW_S = 180;

export const billingRows: readonly PathRow[] = ['', '/v1'].flatMap((base) =>
  (['subscription', 'usage'] as const).map((query) => {
    const path = `${base}/dashboard/billing/${query}`;
    return { path, endpoint: path, answers: { GET: (context: HttpContext) => answerBilling(context, query) } };
  }),
);

/** Numbers of the key, or of its owner if the key has no limit; at most what its budgets leave. Rejects with a `RelayError`. */
async function answerBilling(context: HttpContext, query: BillingQuery): Promise<void> {
  const { response, requestId } = context;
  sendJson(response, requestId, await billingOf(context, query));
}

async function billingOf(context: CallContext, query: BillingQuery): Promise<object> {
  const { deps } = context;
  await checkQueries(context);
  const authenticated = await authenticate(context);
  // Includes calls that have just finished.
  await deps.book.caughtUp();
  const { left: balance, used, until } = await balanceOf(deps, authenticated);
  const { caller } = authenticated;
  const uses = [...(await usesOf(deps, caller)), ...(await otherUses(deps, caller))];
  const budgets = uses.filter(({ measure }) => measure === 'credits');
  const left = Math.min(balance, ...budgets.map((budget) => budget.left ?? Infinity));
  const { DisplayInCurrencyEnabled, QuotaPerUnit } = deps.live.settings;
  const display = (credits: number): number => (DisplayInCurrencyEnabled ? credits / QuotaPerUnit : credits);
  // Clients subtract one from the other, so both ignore the requested dates.
  if (query === 'usage') return { object: 'list', total_usage: display(used) * 100 };
  const limit = display(left + used);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: until,
  };
}

/** Limits what one address may ask. Rejects with a 429. */
export async function checkQueries({ deps, request }: CallContext): Promise<void> {
  const ip = clientIp(request, deps.config.trustedProxies);
  const wait = await deps.limiter.hit(`billing:${ip}`, MAX_QUERIES, WINDOW_S);
  if (wait > 0) throw tooManyQueries(wait);
}

const tooManyQueries = (seconds: number): RelayError =>
  new RelayError(429, `Too many billing requests. Try again in ${seconds} s.`, {
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    retryAfter: String(seconds),
  });

interface KeyBalance {
  /** Credits, including those leased to nodes. */
  left: number;
  used: number;
  /** Unix seconds; 0: never expires. */
  until: number;
}

async function balanceOf({ db }: Deps, { caller }: AuthenticatedCaller): Promise<KeyBalance> {
  if (caller.unlimited) {
    const { quota, held, used_quota } = await db
      .selectFrom('users')
      .where('id', '=', caller.userId)
      .select(['quota', 'held', 'used_quota'])
      .executeTakeFirstOrThrow();
    return { left: quota + held, used: used_quota, until: 0 };
  }
  const { remain_quota, held, used_quota } = await db
    .selectFrom('tokens')
    .where('id', '=', caller.tokenId)
    .select(['remain_quota', 'held', 'used_quota'])
    .executeTakeFirstOrThrow();
  return { left: remain_quota + held, used: used_quota, until: Math.max(0, caller.expiredTime) };
}
