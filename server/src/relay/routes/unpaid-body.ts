import type { Deps } from '#deps.ts';
import { whoHasNothing } from '#quota/balance-left.ts';
import { type Authenticated, noQuota } from './authenticate.ts';
import { consider, nothingTried, type Wanted } from '#relay/select/choose.ts';
import type { Asking } from '#relay/select/offer.ts';
import { routedName } from '#relay/select/steerable.ts';

/** What is known of a call before its body is read. */
type Announced = Pick<Asking, 'operation' | 'dialect'>;

/**
 * Checks the caller of a call whose body turns out to be large: nobody who cannot pay fills the memory. Undefined where
 * credits are at hand. Otherwise it rejects with a 402 when the balance is used up and the model is not free, or is not
 * found in the start of the body; `refusal.model` is the model that was found.
 */
export function checkPayer(
  deps: Deps,
  who: Authenticated,
  announced: Announced,
  modelIn: () => string | undefined,
): Promise<void> | undefined {
  const { userId, tokenId, unlimited } = who.caller;
  const caller = { userId, tokenId, limited: !unlimited };
  if (deps.book.hasCredits(caller)) return undefined;
  return whoHasNothing(deps.db, caller).then((whose) => {
    if (whose === undefined) return;
    const model = modelIn();
    if (model !== undefined && isFree(deps, who, announced, model)) return;
    const refusal = noQuota(whose);
    refusal.model = model;
    throw refusal;
  });
}

/** Whether every channel that can serve a model to this caller does so for nothing. */
function isFree(deps: Deps, who: Authenticated, announced: Announced, named: string): boolean {
  const { routes } = deps.live;
  const { group, pin, except } = who;
  const model = routedName({ routes, group: group.symbol }, named);
  const wanted: Wanted = {
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
    const considered = consider(deps, wanted, channel, nothingTried);
    if (typeof considered === 'string') continue;
    if (!considered.price.ratesFor(group.ratio).free) return false;
    free = true;
  }
  return free;
}
