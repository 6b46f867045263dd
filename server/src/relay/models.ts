import type { Deps } from '#deps.ts';
import type { Authenticated } from './call.ts';
import { RelayError } from './relay-error.ts';

interface ModelObject {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

/** The family's constant: no date of any model. */
const CREATED = 1_677_649_963;

/** Models that the caller's group can ask for. A wildcard stands for the priced names that it covers. */
export function listModels({ live }: Deps, { group }: Authenticated): { object: 'list'; data: ModelObject[] } {
  const names = new Set<string>();
  for (const name of live.routes.modelsOf(group.symbol)) {
    if (!name.endsWith('*')) names.add(name);
    else for (const priced of live.prices.namesWith(name.slice(0, -1))) names.add(priced);
  }
  return { object: 'list', data: [...names].toSorted().map((id) => modelObject(live, id)) };
}

/** One model. Throws a 404 for one that the caller's group cannot ask for. */
export function showModel({ live }: Deps, { group }: Authenticated, id: string): ModelObject {
  if (!live.routes.serves(group.symbol, id)) throw modelNotFound(id);
  return modelObject(live, id);
}

export const modelNotFound = (model: string): RelayError =>
  new RelayError(
    404,
    'invalid_request_error',
    'model_not_found',
    `The model '${model}' does not exist, or your group has no access to it.`,
    { param: 'model' },
  );

function modelObject(live: Deps['live'], id: string): ModelObject {
  const price = live.prices.listed(id);
  return { id, object: 'model', created: CREATED, owned_by: live.owners.get(price?.channel_type ?? 0) ?? 'unknown' };
}
