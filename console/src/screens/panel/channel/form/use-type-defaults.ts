import type { ChannelType } from '@relay-hub/contract';
import { useEffect, useRef } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import { optionsFor, type ChannelBody, type ChannelValues } from './channel-values.ts';

interface Options {
  isNew: boolean;
  /** The name suggested when the form opened; empty for a name of the user's. */
  suggestedName: string;
}

/** On a type change, its defaults fill fields that are empty or still hold the previous type's defaults. */
export function useTypeDefaults(
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>,
  types: readonly ChannelType[],
  { isNew, suggestedName }: Options,
): void {
  const chosen = useWatch({ control: form.control, name: 'type' });
  const before = useRef(chosen);
  const suggested = useRef(suggestedName);
  useEffect(() => {
    if (before.current === chosen) return;
    const last = types.find(({ type }) => type === before.current);
    const next = types.find(({ type }) => type === chosen);
    before.current = chosen;
    if (!next) return;
    const { name, test_model: testModel, models, other, plugin } = form.getValues();
    const options = { shouldDirty: !isNew };
    if (name === '' || name === suggested.current) {
      suggested.current = next.title;
      form.setValue('name', next.title, options);
    }
    if (testModel === '' || testModel === last?.test_model) form.setValue('test_model', next.test_model, options);
    const own = next.models.join(',');
    if (models === '' || models === last?.models.join(',')) form.setValue('models', own, options);
    // The parameter has another meaning for another type.
    if (last?.other?.kind !== next.other?.kind && other !== '') form.setValue('other', '', options);
    form.setValue('plugin', optionsFor(plugin, next), options);
    // Required fields depend on the type.
    form.clearErrors(['base_url', 'other', 'key', 'plugin']);
  }, [chosen, types, form, isNew]);
}
