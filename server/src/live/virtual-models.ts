import type { VirtualModel } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** A virtual model in force. */
export type LiveVirtualModel = VirtualModel & {
  /** The account that the operator's copies of calls are recorded for. */
  updated_by_id: number;
};

/** Enabled virtual models, by name. */
export type VirtualModels = ReadonlyMap<string, LiveVirtualModel>;

export const noVirtualModels: VirtualModels = new Map();

export async function loadVirtualModels(db: Db): Promise<VirtualModels> {
  const rows = await db.selectFrom('virtual_models').selectAll().where('enabled', '=', true).execute();
  return new Map(rows.map((row) => [row.name, row]));
}

/** The models that calls for a name can go to, without repetition: its own, or those of its steps. */
export function modelsBehind(virtualModels: VirtualModels, name: string): readonly string[] {
  const virtual = virtualModels.get(name);
  return virtual ? [...new Set(virtual.steps.flatMap(({ models }) => models.map(({ model }) => model)))] : [name];
}
