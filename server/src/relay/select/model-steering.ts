import { splitModel, steeringOf, steerings } from '#chat/steering.ts';
import type { RoutingTable } from '#live/routing-table.ts';
import type { OperationName } from '#relay/call/types.ts';
import type { ParsedRequest } from '#relay/dialects/parsed-request.ts';
import { badRequest } from '#relay/routes/relay-error.ts';

/** Who asks, and what is there to be asked. */
interface GroupRoutes {
  routes: Pick<RoutingTable, 'lists'>;
  group: string;
}

/**
 * The name that routes and is billed: without its `#` and what stands behind it, unless a channel has the whole name in
 * its list. What is listed can then be called as it is listed, and is billed as that.
 */
export const routedName = ({ routes, group }: GroupRoutes, name: string): string =>
  name.includes('#') && !routes.lists(group, name) ? splitModel(name).model : name;

/**
 * A request by the model's name alone, which routes and is billed; what stands behind a `#` says how it is to reason.
 * Throws a 400 for what it cannot say.
 */
export function applySteering(request: ParsedRequest, operation: OperationName, asked: GroupRoutes): ParsedRequest {
  const model = routedName(asked, request.model);
  if (model === request.model) return request;
  const { behind = '' } = splitModel(request.model);
  const steering = steeringOf(behind);
  if (model === '') throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
  if (steering === undefined) throw badRequest(unknownSteering(behind), 'model');
  if (operation !== 'chat') throw badRequest(`'#${behind}' stands behind a model that chats, and no other.`, 'model');
  return { ...request, model, steering, requestedName: request.model };
}

const unknownSteering = (behind: string): string =>
  behind === 'search'
    ? "This server makes no web searches: '#search' is not known. Offer the model a tool for it."
    : `'#${behind}' is not known behind the name of a model: it can be ${steerings.map((one) => `#${one}`).join(', ')}.`;
