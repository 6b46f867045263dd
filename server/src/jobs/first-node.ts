import type { BaseDeps } from '#base-deps.ts';
import { livingNodes } from './open-calls.ts';

/** Whether this node runs the jobs that only one node may run: the longest-running node. */
export async function isFirstNode({ db, nodeId }: Pick<BaseDeps, 'db' | 'nodeId'>): Promise<boolean> {
  const nodes = await db.selectFrom('nodes').selectAll().orderBy('started_time').orderBy('id').execute();
  const isAlive = await livingNodes(db);
  const first = nodes.find((node) => node.id === nodeId || isAlive(node));
  return first?.id === nodeId;
}
