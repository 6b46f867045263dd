import { bareRequest } from '#relay/types/parsed-request.ts';
import { isOutage } from '#db/outage.ts';
import type { Deps } from '#deps.ts';
import { modelsBehind } from '#live/virtual-models.ts';
import { emptyBalance } from '#quota/balance-left.ts';
import type { AuthenticatedCaller, CallRequest, RouteQuery } from '#relay/types/call-types.ts';
import { evaluateChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { routedName } from '#relay/select/model-steering.ts';
import { insufficientQuota } from '#relay/reply/insufficient-quota.ts';

type UnreadCall = Pick<CallRequest, 'operation' | 'dialect'>;

/**
 * Keeps callers who cannot pay from filling memory with large bodies. Undefined: credits are at hand. Otherwise it
 * rejects with a 402 if the balance is used up, unless the model in the start of the body is free; `refusal.model` is
 * that model.
 */
export function checkBalance(
  deps: Deps,
  authenticated: AuthenticatedCaller,
  announced: UnreadCall,
  modelIn: () => string | undefined,
): Promise<void> | undefined {
  const { userId, tokenId, unlimited } = authenticated.caller;
  const caller = { userId, tokenId, limited: !unlimited };
  // Whether a plan has something left is known when the call is reserved.
  if (authenticated.caller.plans || deps.book.hasCredits(caller)) return undefined;
  const empty = emptyBalance(deps.db, caller).catch((error: unknown) => {
    // The reservation decides whether the call goes on without the database.
    if (isOutage(error)) return undefined;
    throw error;
  });
  return empty.then((whose) => {
    if (whose === undefined) return;
    const model = modelIn();
    if (model !== undefined && isFree(deps, authenticated, announced, model)) return;
    const refusal = insufficientQuota(whose, deps.live.settings);
    refusal.model = model;
    throw refusal;
  });
}

/** Whether every channel that can serve the model, or the steps behind its name, is free. */
function isFree(
  deps: Deps,
  { group, pin, except }: AuthenticatedCaller,
  announced: UnreadCall,
  named: string,
): boolean {
  const { routes, virtualModels } = deps.live;
  let free = false;
  for (const model of modelsBehind(virtualModels, routedName({ routes, group: group.symbol }, named))) {
    const query: RouteQuery = { ...announced, group, pin, except, request: bareRequest(model) };
    for (const channel of routes.channelsFor(group.symbol, model)) {
      const considered = evaluateChannel(deps, query, channel, nothingTried);
      if (typeof considered === 'string') continue;
      if (!considered.price.ratesFor(group.ratio).free) return false;
      free = true;
    }
  }
  return free;
}
