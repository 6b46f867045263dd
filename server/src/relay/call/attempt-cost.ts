import {
  addCredits,
  type AttemptCost,
  type EventCounts,
  exactCredits,
  explainRow,
  inputTokens,
  type LogMetadata,
  rulesFor,
  type Served,
} from '@relay-hub/contract';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { ChannelChoice, Verdict } from '#relay/types/call-types.ts';
import { eventsServed } from '#usage/served.ts';

/** How an attempt was served, for the rules of its prices. */
export interface AttemptServed {
  served: Served;
  events: EventCounts;
}

type Bought = Pick<ChannelChoice, 'price' | 'upstreamModel' | 'billedModel'> & {
  channel: Pick<ChannelChoice['channel'], 'costRatio' | 'purchases'>;
};

/**
 * Cost of an attempt at the provider: its own statement, or else the channel's purchase price of the model, or else the
 * list price times the channel's multiple.
 */
export function costOf(
  { channel: { costRatio, purchases }, price, upstreamModel, billedModel }: Bought,
  { served: report, usage }: Pick<Verdict, 'served' | 'usage'>,
  { models = [] }: Pick<LogMetadata, 'models'>,
  { served, events }: AttemptServed,
): AttemptCost | undefined {
  if (report?.cost !== undefined) return { credits: report.cost, by: 'provider' };
  const own = purchases?.find([upstreamModel, billedModel], served.at);
  const rate = own ? own.rate : costRatio;
  if (rate === undefined) return undefined;
  const bought = own?.price ?? price;
  const rates = bought.ratesFor(rate, rulesFor(bought.rules ?? [], served));
  // Other models of the call have no purchase price here: at the channel's multiple, or else at the list price.
  const ofModel = ({ prompt_tokens, completion_tokens, ...counts }: (typeof models)[number]): string =>
    explainRow({ prompt_tokens, completion_tokens, metadata: { ...counts, group_ratio: costRatio ?? 1 } })?.subtotal ??
    '0';
  const credits = models.reduce((sum, used) => addCredits(sum, ofModel(used)), exactCredits(rates, usage, events));
  return own ? { credits, by: 'own', version: own.price.version } : { credits, by: 'multiple' };
}

/**
 * Cost of an attempt without a result, for which nobody is charged: by what the provider reported before it failed.
 * Undefined: unknown, as after a timeout.
 */
export function costOfFailure(
  choice: Bought,
  { requestStarted, status }: Pick<AttemptResult, 'requestStarted' | 'status'>,
  { spent }: Pick<Verdict, 'spent'>,
): AttemptCost | undefined {
  if (!spent) return !requestStarted || status >= 400 ? { credits: '0', by: 'refused' } : undefined;
  return costReported(choice, spent);
}

/** Cost of a request without a charge, by what the provider reported: a failed attempt, or a test of a channel. */
export function costReported(choice: Bought, spent: Pick<Verdict, 'usage' | 'served'>): AttemptCost | undefined {
  const { usage, served } = spent;
  const seen: Served = {
    modes: served?.modes ?? [],
    region: served?.region,
    promptTokens: served?.promptTokens ?? inputTokens(usage),
    reasoning: usage.reasoning > 0,
    at: Math.floor(Date.now() / 1000),
  };
  return costOf(choice, spent, {}, { served: seen, events: { ...eventsServed(served), request: 1 } });
}
