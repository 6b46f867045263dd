import { splitModel, steeringOf, steerings } from '#chat/steering.ts';
import type { RoutingTable } from '#live/routing-table.ts';
import type { OperationName } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

interface GroupRoutes {
  routes: Pick<RoutingTable, 'lists'>;
  group: string;
}

/** The name for routing and billing: without `#` and suffix, unless a channel lists the whole name. */
export const routedName = ({ routes, group }: GroupRoutes, name: string): string =>
  name.includes('#') && !routes.lists(group, name) ? splitModel(name).model : name;

/** Moves the suffix after `#` from the model's name to `steering`. Throws a 400 for an unknown suffix. */
export function applySteering(
  request: ParsedRequest,
  operation: OperationName,
  groupRoutes: GroupRoutes,
): ParsedRequest {
  const model = routedName(groupRoutes, request.model);
  if (model === request.model) return request;
  const { behind = '' } = splitModel(request.model);
  const steering = steeringOf(behind);
  if (model === '') throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
  if (steering === undefined) throw badRequest(unknownSteering(behind), 'model');
  if (operation !== 'chat') throw badRequest(`'#${behind}' is supported for chat models only.`, 'model');
  return { ...request, model, steering, requestedName: request.model };
}

const unknownSteering = (behind: string): string =>
  behind === 'search'
    ? "This server has no web search: '#search' is not supported. Give the model a tool for it."
    : `Unknown suffix '#${behind}' of the model name. Supported: ${steerings.map((one) => `#${one}`).join(', ')}.`;
