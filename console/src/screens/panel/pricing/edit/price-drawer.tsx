import type { Price, PriceInput } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useModelOwners } from '#api/model-owners.ts';
import { useCloseIf } from '#list/record-drawer.tsx';
import { builtInPrices } from '#screens/panel/pricing/pricing-api.ts';
import { pricesFor } from '#screens/panel/pricing/pricing-search.ts';
import { PriceForm } from './price-form.tsx';
import { builtInFor } from './price-values.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

interface Props {
  edit: string;
  prices: readonly Price[];
  actions: PriceActions;
  onClose: () => void;
}

/** The form that the address names; closes if there is no such price. */
export function PriceDrawer({ edit, prices, actions, onClose }: Props) {
  // Fixed at opening: the list refetches now and then, which must not reset the form.
  const [wanted] = useState(() => pricesFor(edit, prices));
  useCloseIf(!wanted, onClose);
  if (!wanted) return null;
  if (edit.startsWith('new:')) return <PresetForm model={edit.slice(4)} actions={actions} onClose={onClose} />;
  return <PriceForm prices={wanted} preset={{}} actions={actions} onClose={onClose} />;
}

/** A new price for a model, prefilled from the built-in prices. */
function PresetForm({ model, actions, onClose }: Pick<Props, 'actions' | 'onClose'> & { model: string }) {
  const builtIn = useQuery(builtInPrices);
  const ownerOf = useModelOwners();
  if (builtIn.isPending) return null;
  const known = builtInFor(model, builtIn.data ?? []);
  const preset: Partial<PriceInput> = { channel_type: ownerOf(model)?.id ?? 0, ...known, model };
  return <PriceForm prices={[]} preset={preset} presetFrom={known?.model} actions={actions} onClose={onClose} />;
}

/** One price for models with different ones; starts from the first. */
export function MergeDrawer({
  prices: [first, ...rest],
  onDone,
  actions,
  onClose,
}: Pick<Props, 'actions' | 'onClose'> & { prices: readonly Price[]; onDone: () => void }) {
  if (!first) return null;
  const merged = rest.map((price): Price => ({ ...first, model: price.model, version: price.version }));
  return (
    <PriceForm prices={[first, ...merged]} preset={{}} merging actions={actions} onSaved={onDone} onClose={onClose} />
  );
}
