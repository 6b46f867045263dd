import { limitEndpoints, type LimitUse } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { offeredModels } from '#relay/select/offered-models.ts';
import type { Caller } from '#live/callers.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { CallContext, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkQueries } from './billing.ts';
import { otherUses, planUses, usesOf } from './cap-uses.ts';

export const keyRows: readonly PathRow[] = [{ path: '/v1/key', endpoint: '/v1/key', answers: { GET: answerKey } }];

/** Rights of a key and the rest of its limits, for the key itself. */
async function answerKey(context: HttpContext): Promise<void> {
  const { response, requestId } = context;
  sendJson(response, requestId, await keyInfo(context));
}

async function keyInfo(context: CallContext): Promise<object> {
  const { deps } = context;
  await checkQueries(context);
  const { caller, group } = await authenticate(context);
  // Includes calls that have just finished.
  await deps.book.caughtUp();
  const token = await deps.db
    .selectFrom('tokens')
    .where('id', '=', caller.tokenId)
    .select(['remain_quota', 'held', 'used_quota', 'tag', 'metadata'])
    .executeTakeFirstOrThrow();
  const { limits } = caller;
  const money = moneyOf(deps);
  const uses = await usesOf(deps, caller);
  const others = await otherUses(deps, caller);
  return {
    object: 'key',
    name: caller.tokenName,
    tag: token.tag,
    metadata: token.metadata ?? {},
    group: group.symbol,
    expires_at: endOf(caller),
    quota: {
      used: token.used_quota,
      used_usd: money(token.used_quota),
      left: caller.unlimited ? null : token.remain_quota + token.held,
      left_usd: caller.unlimited ? null : money(token.remain_quota + token.held),
    },
    time_zone: limits?.time_zone ?? null,
    limits: [
      ...uses.map(({ of_group, ...use }) => limitShown({ ...use, subject: of_group ? 'group' : 'key' }, money)),
      ...others.map((use) => limitShown(use, money)),
    ],
    plans: (await planUses(deps, caller)).map(({ plan, uses: ofPlan }) => ({
      name: plan.name,
      ends_at: plan.until,
      renews: plan.renews,
      beyond: plan.beyond ? 'balance' : 'refuse',
      limits: ofPlan.map((use) => limitShown(use, money)),
    })),
    endpoints: limits?.endpoints ? [...limits.endpoints] : limitEndpoints,
    models: [...offeredModels(deps.live, group.symbol)]
      .filter((name) => !limits?.models || limits.models(name))
      .toSorted(),
  };
}

/** A limit with its use; without an amount it limits nothing. */
function limitShown(
  { subject, measure, period, amount, used, left, resets_time }: Omit<LimitUse, 'subject'> & { subject: string },
  money: (credits: number) => number,
): object {
  const usd = (credits: number | null) => (credits === null ? null : money(credits));
  return {
    measure,
    period,
    limit: amount,
    used,
    left,
    ...(measure === 'credits' && { limit_usd: usd(amount), used_usd: usd(used), left_usd: usd(left) }),
    resets_at: resets_time === 0 ? null : resets_time,
    from: subject,
  };
}

/** When the key stops working: with its token, or earlier if it was replaced. Null: never. */
function endOf({ expiredTime, keyUntil }: Caller): number | null {
  const ends = [expiredTime, keyUntil ?? -1].filter((end) => end !== -1);
  return ends.length === 0 ? null : Math.min(...ends);
}

const moneyOf =
  ({ live }: Deps) =>
  (credits: number): number =>
    credits / live.settings.QuotaPerUnit;
