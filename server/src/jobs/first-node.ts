import type { BaseDeps } from '#base-deps.ts';
import { livingNodes } from './open-calls.ts';

/** Whether this is the node that does what only one may: the one that has been running longest. */
export async function isFirstNode({ db, nodeId }: Pick<BaseDeps, 'db' | 'nodeId'>): Promise<boolean> {
  const nodes = await db.selectFrom('nodes').selectAll().orderBy('started_time').orderBy('id').execute();
  const isAlive = await livingNodes(db);
  const first = nodes.find((node) => node.id === nodeId || isAlive(node));
  return first?.id === nodeId;
}
