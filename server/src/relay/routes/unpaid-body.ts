import type { Deps } from '#deps.ts';
import { whoHasNothing } from '#quota/balance-left.ts';
import type { AuthenticatedCaller, CallRequest, RouteQuery } from '#relay/call/types.ts';
import { evaluateChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { routedName } from '#relay/select/model-steering.ts';
import { insufficientQuota } from './authenticate.ts';

/** What is known of a call before its body is read. */
type UnreadCall = Pick<CallRequest, 'operation' | 'dialect'>;

/**
 * Checks the caller of a call whose body turns out to be large: nobody who cannot pay fills the memory. Undefined where
 * credits are at hand. Otherwise it rejects with a 402 when the balance is used up and the model is not free, or is not
 * found in the start of the body; `refusal.model` is the model that was found.
 */
export function checkBalance(
  deps: Deps,
  who: AuthenticatedCaller,
  announced: UnreadCall,
  modelIn: () => string | undefined,
): Promise<void> | undefined {
  const { userId, tokenId, unlimited } = who.caller;
  const caller = { userId, tokenId, limited: !unlimited };
  if (deps.book.hasCredits(caller)) return undefined;
  return whoHasNothing(deps.db, caller).then((whose) => {
    if (whose === undefined) return;
    const model = modelIn();
    if (model !== undefined && isFree(deps, who, announced, model)) return;
    const refusal = insufficientQuota(whose);
    refusal.model = model;
    throw refusal;
  });
}

/** Whether every channel that can serve a model to this caller does so for nothing. */
function isFree(deps: Deps, who: AuthenticatedCaller, announced: UnreadCall, named: string): boolean {
  const { routes } = deps.live;
  const { group, pin, except } = who;
  const model = routedName({ routes, group: group.symbol }, named);
  const wanted: RouteQuery = {
    ...announced,
    group,
    pin,
    except,
    request: {
      model,
      stream: false,
      wantsUsage: false,
      inputTokens: 0,
      outputLimit: undefined,
      usesTools: false,
      usesImages: false,
    },
  };
  let free = false;
  for (const channel of routes.channelsFor(group.symbol, model)) {
    const considered = evaluateChannel(deps, wanted, channel, nothingTried);
    if (typeof considered === 'string') continue;
    if (!considered.price.ratesFor(group.ratio).free) return false;
    free = true;
  }
  return free;
}
