import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { switchOff } from '#live/auto-switch.ts';
import { channelEvents } from '#live/channel-events.ts';
import { billingTypes } from '#channel-types/channel-types.ts';
import { findProvider } from '#providers/registry.ts';
import type { Money, ProviderQuestion } from '#providers/provider.ts';
import { amountAt } from '#providers/questions.ts';
import type { Upstreams } from '#relay/upstream/upstreams.ts';
import { askProvider, isChannelFailure, type ProbedChannel } from './ask-provider.ts';
import type { ChannelRow } from '#features/channel/channel-record.ts';
import { probedOf } from './run-test.ts';

export interface AccountBalance {
  balance: number;
  balance_currency: string;
}

const TIMEOUT_MS = 30_000;

/**
 * Queries a channel's balance and stores it, or why it could not be read. Throws `channel.balance_unsupported` and
 * `channel.upstream_failed`.
 */
export async function updateBalance(
  deps: Pick<Deps, 'db' | 'secrets' | 'upstreams' | 'now'>,
  row: ChannelRow,
): Promise<AccountBalance> {
  const { db, upstreams, now } = deps;
  const probed = await probedOf(deps, row);
  const store = (columns: Partial<ChannelRow>) =>
    db.updateTable('channels').set(columns).where('id', '=', row.id).execute();
  try {
    const money = await askFor(upstreams, probed);
    if (!money) throw new AppError('channel.upstream_failed', { reason: 'the answer tells no balance' });
    const balance = { balance: money.amount, balance_currency: money.currency };
    await store({ ...balance, balance_updated_time: now(), balance_error: '', balance_error_time: 0 });
    return balance;
  } catch (error) {
    if (isChannelFailure(error))
      await store({ balance_error: String(error.values['reason'] ?? error.code), balance_error_time: now() });
    throw error;
  }
}

/**
 * Whether the channel's provider reports a balance. OpenAI itself no longer does for API keys; compatible servers do.
 */
export function reportsBalance({ type, base_url: baseUrl }: Pick<ChannelRow, 'type' | 'base_url'>): boolean {
  const provider = findProvider(type);
  if (!provider || provider.balance) return provider !== undefined;
  return billingTypes.has(type) && URL.parse(baseUrl || provider.baseUrl)?.hostname !== 'api.openai.com';
}

async function askFor(upstreams: Upstreams, probed: ProbedChannel): Promise<Money | undefined> {
  const { balance, baseUrl } = probed.provider;
  ensure(reportsBalance({ ...probed, type: probed.provider.type }), 'channel.balance_unsupported', { field: 'id' });
  const ask = (question: ProviderQuestion) => askProvider(upstreams, probed, { ...question, timeoutMs: TIMEOUT_MS });
  if (balance) return balance.read(await ask(balance), probed.base_url || baseUrl);
  const limit = amountAt(await ask({ path: '/v1/dashboard/billing/subscription' }), 'hard_limit_usd');
  // In cents, all-time.
  const used = amountAt(await ask({ path: '/v1/dashboard/billing/usage' }), 'total_usage');
  return limit === undefined || used === undefined ? undefined : { amount: limit - used / 100, currency: 'USD' };
}

/** Disables a channel with an empty balance if the settings say so. Returns whether it did. */
export async function switchOffEmpty(
  deps: Pick<Deps, 'db' | 'live' | 'log' | 'notices' | 'now'>,
  row: ChannelRow,
  { balance }: AccountBalance,
): Promise<boolean> {
  const { db, live, now } = deps;
  if (balance > 0 || !live.settings.AutomaticDisableChannelEnabled) return false;
  const reason = 'nothing is left on the account';
  const off = await live.inForce('routes', switchOff(db, row.id, reason, now()));
  if (off) channelEvents.switchedOff(deps, row.id, reason);
  return off;
}
