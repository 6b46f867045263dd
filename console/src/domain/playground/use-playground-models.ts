import { modelPrice, type ModelPrice, type priceApi, type ReplyOf } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { availableQuery } from '#api/available.ts';
import { useSelf } from '#api/self.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { hintsOf, type ModelHints } from './model-hints.ts';
import type { Mode } from './playground-types.ts';
import { changeSettings, useSettings } from './store/playground-store.ts';

/** A model that the account can call. */
export interface PlaygroundModel {
  name: string;
  owner: string;
  /** For the account's group, per million tokens or per call. */
  price: ModelPrice;
  /** Published context length in tokens; undefined if unknown. */
  context: number | undefined;
  hints: ModelHints;
}

interface PlaygroundModels {
  /** Those of the mode, by owner and name. */
  models: PlaygroundModel[];
  /** Those that have a model. */
  modes: ReadonlySet<Mode>;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

type Available = ReplyOf<(typeof priceApi)['available']>;

/** The models of the current mode that the account's group can call; chooses one if none of them is chosen. */
export function usePlaygroundModels(): PlaygroundModels {
  const { mode, models: chosen } = useSettings();
  const available = useQuery(availableQuery);
  const { data: self } = useSelf();
  const ratio = useUserGroups()[self?.group ?? '']?.ratio ?? 1;
  const all = useMemo(
    () => (available.data && self ? modelsFor(available.data, self.group, ratio) : []),
    [available.data, self, ratio],
  );
  const modes = useMemo(() => new Set(all.flatMap(({ hints }) => hints.mode ?? [])), [all]);
  const models = useMemo(() => all.filter(({ hints }) => hints.mode === mode), [all, mode]);
  useEffect(() => {
    const known = chosen.filter((name) => models.some((model) => model.name === name));
    const first = cheapest(models);
    if (known.length === chosen.length && known.length > 0) return;
    if (known.length > 0) changeSettings({ models: known });
    else if (first) changeSettings({ models: [first.name] });
  }, [chosen, models]);
  return {
    models,
    modes,
    isPending: available.isPending || self === undefined,
    error: available.error,
    retry: () => void available.refetch(),
  };
}

function modelsFor(available: Available, group: string, ratio: number): PlaygroundModel[] {
  return Object.entries(available)
    .filter(([name, { groups }]) => !name.includes('*') && groups.includes(group))
    .map(([name, { owned_by: owner, context, price }]) => ({
      name,
      owner,
      context,
      price: modelPrice(price, ratio, { currency: 'USD', per: 1_000_000 }),
      hints: hintsOf(name),
    }))
    .toSorted((a, b) => a.owner.localeCompare(b.owner) || a.name.localeCompare(b.name));
}

/** A first call should cost little. Free and unpriced models are often not what a stranger wants to see. */
function cheapest(models: readonly PlaygroundModel[]): PlaygroundModel | undefined {
  const cost = ({ price }: PlaygroundModel) =>
    Number((price.type === 'times' ? price.call : price.output)?.replace(/[^\d.]/g, '')) || Infinity;
  return models.toSorted((a, b) => cost(a) - cost(b))[0];
}
