import type { ChannelType } from '@relay-hub/contract';
import { useEffect, useRef } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

interface Options {
  isNew: boolean;
  /** The name that the form began with by itself; empty where it is somebody's own. */
  suggestedName: string;
}

/** When the type changes, what it suggests comes into fields that are empty or still hold the last suggestion. */
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
    const { name, test_model: testModel } = form.getValues();
    const options = { shouldDirty: !isNew };
    if (name === '' || name === suggested.current) {
      suggested.current = next.title;
      form.setValue('name', next.title, options);
    }
    if (testModel === '' || testModel === last?.test_model) form.setValue('test_model', next.test_model, options);
    // Whether an address is needed depends on the type.
    form.clearErrors('base_url');
  }, [chosen, types, form, isNew]);
}
