import {
  addCredits,
  type AttemptCost,
  type EventCounts,
  exactCredits,
  explainRow,
  inputTokens,
  type LogMetadata,
  rulesFor,
} from '@relay-hub/contract';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { ChannelChoice, Verdict } from '#relay/types/call-types.ts';
import { eventsServed } from '#usage/served.ts';

/** Cost of an attempt at the provider: its own statement, or else the list price times the channel's multiple. */
export function costOf(
  { channel: { costRatio }, price }: Pick<ChannelChoice, 'channel' | 'price'>,
  { served, usage }: Pick<Verdict, 'served' | 'usage'>,
  { rules, models = [] }: Pick<LogMetadata, 'rules' | 'models'>,
  events?: EventCounts,
): AttemptCost | undefined {
  if (served?.cost !== undefined) return { credits: served.cost, by: 'provider' };
  if (costRatio === undefined) return undefined;
  const own = exactCredits(price.ratesFor(costRatio, rules), usage, events);
  const ofModel = ({ prompt_tokens, completion_tokens, ...counts }: (typeof models)[number]): string =>
    explainRow({ prompt_tokens, completion_tokens, metadata: { ...counts, group_ratio: costRatio } })?.subtotal ?? '0';
  return { credits: models.reduce((sum, used) => addCredits(sum, ofModel(used)), own), by: 'multiple' };
}

/**
 * Cost of an attempt without a result, for which nobody is charged: by what the provider reported before it failed.
 * Undefined: unknown, as after a timeout.
 */
export function costOfFailure(
  choice: Pick<ChannelChoice, 'channel' | 'price'>,
  { requestStarted, status }: Pick<AttemptResult, 'requestStarted' | 'status'>,
  { spent }: Pick<Verdict, 'spent'>,
): AttemptCost | undefined {
  if (spent) {
    const { usage, served } = spent;
    const seen = {
      modes: served?.modes ?? [],
      region: served?.region,
      promptTokens: served?.promptTokens ?? inputTokens(usage),
      reasoning: usage.reasoning > 0,
      at: Math.floor(Date.now() / 1000),
    };
    return costOf(choice, spent, { rules: rulesFor(choice.price.rules ?? [], seen) }, eventsServed(served));
  }
  return !requestStarted || status >= 400 ? { credits: '0', by: 'refused' } : undefined;
}
