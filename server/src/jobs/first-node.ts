import type { Deps } from '#deps.ts';
import { isAlive } from './open-calls.ts';

/** Whether this is the node that does what only one may: the one that has been running longest. */
export async function isFirstNode({ db, nodeId, now }: Pick<Deps, 'db' | 'nodeId' | 'now'>): Promise<boolean> {
  const nodes = await db.selectFrom('nodes').selectAll().orderBy('started_time').orderBy('id').execute();
  const first = nodes.find((node) => node.id === nodeId || isAlive(node, now()));
  return first?.id === nodeId;
}
