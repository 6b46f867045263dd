import { creditsFor, feeEvents, noUsage, type Rates, type Usage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { factsOf, type ModelFacts } from '#usage/model-facts.ts';
import { showsAllOutput } from '#usage/request-kind.ts';
import type { TypicalOutputs } from '#usage/typical-outputs.ts';
import { estimate, countedInput } from './estimate.ts';
import type { ChannelChoice, FittedOptions, RelayCall, CallReservation } from '#relay/types/call-types.ts';

/** Assumed for models whose largest answer is not published. */
const LARGEST_OF_UNKNOWN = 16_384;
/** A call is not cut to a shorter answer than this, per choice, unless it asks for less. */
const SHORTEST_OUTPUT = 256;

/** Settings and statistics that decide about a reservation. */
interface ReservationBasis {
  /** Credits for the output of a stream whose usual length is unknown. */
  flat: number;
  typical: Pick<TypicalOutputs, 'of'>;
}

export const reservationBasis = ({
  live,
  typicalOutputs,
}: Pick<Deps, 'live' | 'typicalOutputs'>): ReservationBasis => ({
  flat: live.settings.PreConsumedQuota,
  typical: typicalOutputs,
});

type ReservedCall = Pick<RelayCall, 'request' | 'operation' | 'json' | 'endpoint' | 'startOutput'>;
type PricedChoice = Pick<ChannelChoice, 'rates' | 'channel' | 'upstreamModel' | 'billedModel' | 'options'>;

/**
 * Credits that a call reserves at a channel. A chat whose output is all visible in its stream begins with a usual
 * answer; other chats reserve the longest answer that the request and the model allow. All else is estimated.
 */
export function reservationOf(
  call: ReservedCall,
  choice: PricedChoice,
  { flat, typical }: ReservationBasis,
): CallReservation {
  const { request, operation } = call;
  const { rates, channel, billedModel } = choice;
  const { options } = choice;
  const input = countedInput(request, channel.preCost);
  if (!isText(operation, request, rates))
    return {
      credits: estimate({ rates, options }, request, flat, channel.preCost),
      output: undefined,
      growsTo: undefined,
    };
  const most = mostOutput(request, choice);
  if (!request.stream || !isVisible(call, choice))
    return { credits: textCredits(rates, input, most, options), output: most, growsTo: undefined };
  const usual = typical.of(billedModel, call.endpoint);
  const start = call.startOutput ?? (usual === undefined ? undefined : usual * (request.choices ?? 1));
  if (start !== undefined) {
    const output = Math.min(most, start);
    return { credits: textCredits(rates, input, output, options), output, growsTo: most };
  }
  const promptCredits = textCredits(rates, input, 0, options);
  const credits = Math.min(promptCredits + flat, textCredits(rates, input, most, options));
  return { credits, output: outputFor({ rates, input, options }, credits, most), growsTo: most };
}

/** Reserved credits besides tokens. */
type Besides = Pick<FittedOptions, 'events' | 'otherCredits'>;

/** Credits of a prompt with an answer, and of the events and other models that are reserved for. */
export const textCredits = (rates: Rates, input: number, output: number, options?: Besides): number =>
  creditsFor(rates, { ...noUsage, input, output } satisfies Usage, options?.events) + (options?.otherCredits ?? 0);

/** The cost of a chat before its answer. */
interface PricedPrompt {
  rates: Rates;
  /** Tokens. */
  input: number;
  options?: Besides | undefined;
}

/** The most output tokens, up to `most`, whose cost with the prompt is within `credits`. */
export function outputFor({ rates, input, options }: PricedPrompt, credits: number, most: number): number {
  const { perToken, perEvent, unit } = rates;
  // Costs are rounded up, so they are within whole credits exactly if their sum is.
  const fees = feeEvents.reduce(
    (sum, event) => sum + BigInt(options?.events[event] ?? 0) * (perEvent[event] ?? 0n),
    0n,
  );
  const own = Math.max(0, Math.floor(credits) - (options?.otherCredits ?? 0));
  const left = BigInt(own) * unit - BigInt(input) * perToken.input - fees;
  if (left < 0n) return 0;
  if (perToken.output === 0n) return most;
  const output = left / perToken.output;
  return output < BigInt(most) ? Number(output) : most;
}

/** Calls whose output is text that is charged by tokens. */
const isText = (operation: RelayCall['operation'], { assumed }: ParsedRequest, rates: Rates): boolean =>
  (operation === 'chat' || operation === 'completions') && !assumed && !rates.free && rates.type === 'tokens';

function mostOutput({ outputLimit, choices = 1 }: ParsedRequest, { upstreamModel }: PricedChoice): number {
  const facts = factsOf(upstreamModel);
  if (outputLimit === undefined) return (facts?.output ?? LARGEST_OF_UNKNOWN) * choices;
  return facts ? Math.min(outputLimit, facts.output * choices) : outputLimit;
}

/** Whether all output tokens appear in the stream: no hidden reasoning, hosted tools or audio. */
function isVisible({ json, request }: ReservedCall, { upstreamModel }: PricedChoice): boolean {
  const { reasoning = true, reasonsOnRequest = false, searches = false } = factsOf(upstreamModel) ?? unknownFacts;
  if (searches || (reasoning && (!reasonsOnRequest || request.steering || upstreamModel.includes('thinking'))))
    return false;
  return showsAllOutput(json, reasoning);
}

/** Models without published facts show their reasoning where they have any. */
const unknownFacts: Pick<ModelFacts, 'reasoning' | 'reasonsOnRequest' | 'searches'> = { reasoning: false };

/** Credits left for a refused call, and the least that it would need. */
export interface Room {
  /** The longest answer that the call may reserve, over all choices; undefined: not even the shortest. */
  output: number | undefined;
  /** Credits for the shortest useful answer. */
  least: number;
}

/**
 * The longest answer of a call that does not fit into the credits left: at most half of them, so that parallel calls
 * find some too.
 */
export function fittedOutput(
  { request }: Pick<RelayCall, 'request'>,
  { rates, channel, options }: PricedChoice,
  reserved: CallReservation,
  left: number,
): Room {
  const { output: wanted = 0 } = reserved;
  const { choices = 1 } = request;
  const input = countedInput(request, channel.preCost);
  const shortest = Math.min(wanted, SHORTEST_OUTPUT * choices);
  const least = textCredits(rates, input, shortest, options);
  const half = outputFor({ rates, input, options }, Math.floor(left / 2), wanted);
  const output = half >= shortest ? Math.floor(half / choices) * choices : shortest;
  return { least, output: least <= left && output > 0 && output < wanted ? output : undefined };
}
