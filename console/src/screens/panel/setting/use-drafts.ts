import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshOptions, saveOptions, type Options, type Values } from './setting-api.ts';
import { settingGroups, type SettingField } from './setting-groups.ts';
import { problemOf, isSameValue } from './setting-values.ts';
import { useSettingNames } from './use-setting-names.ts';

const fields = new Map(settingGroups.flatMap((group) => group.fields).map((field) => [field.key as string, field]));

export interface Drafts {
  /** Unsaved values; null: back to the default, or deleted. */
  values: Values;
  problems: Readonly<Record<string, string>>;
  saving: boolean;
  change: (field: SettingField, text: string | null) => void;
  discard: () => void;
  /** Saves all drafts; calls back with the key that the server refused. */
  save: (onRefused: (key: string) => void) => void;
}

export function useDrafts(options: Options): Drafts {
  const { t } = useTranslation(['setting', 'shared']);
  const client = useQueryClient();
  const named = useSettingNames();
  const [values, setValues] = useState<Values>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});

  const saving = useMutation({
    mutationFn: saveOptions,
    meta: { quiet: true },
    onSuccess: (_, saved) => {
      const earlier = earlierValues(saved, options);
      const count = Object.keys(saved).length;
      if (Object.keys(earlier).length < count) toast.success(t('saved', { count }));
      else toast.undo(t('saved', { count }), () => putBack(earlier));
      setValues((now) => without(now, saved));
    },
    onSettled: () => refreshOptions(client),
  });
  const { mutate: putBack } = useMutation({
    mutationFn: saveOptions,
    onSuccess: () => toast.info(t('undone')),
    onSettled: () => refreshOptions(client),
  });

  const problems: Record<string, string> = { ...refused };
  for (const [key, text] of Object.entries(values)) {
    const field = fields.get(key);
    const problem = field && text !== null ? problemOf(field, text) : undefined;
    if (problem) problems[key] = t(problem, { min: field?.min ?? 0 });
  }
  return {
    values,
    problems,
    saving: saving.isPending,
    change: (field, text) => {
      const { key, kind } = field;
      const option = options.get(key);
      // A refusal may have been caused by another setting, so any edit clears it.
      setRefused({});
      const same = option && (text === null ? !option.is_set : isSameValue(kind, text, option));
      setValues((now) => (same ? without(now, { [key]: null }) : { ...now, [key]: text }));
    },
    discard: () => {
      setValues({});
      setRefused({});
    },
    save: (onRefused) =>
      saving.mutate(values, {
        onError: (error) => {
          const key = error instanceof ApiError ? error.field : undefined;
          if (key === undefined || !fields.has(key)) return toast.error(error.message);
          // Shown at its field, the message needs no key.
          setRefused({ [key]: named(error.message.replace(new RegExp(`^${key}[:：]\\s*`), '')) });
          onRefused(key);
        },
      }),
  };
}

function without<T>(record: Readonly<Record<string, T>>, keys: object): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !Object.hasOwn(keys, key)));
}

/** Values before the save, without secrets, which the page does not know. */
function earlierValues(saved: Values, options: Options): Values {
  const known = Object.keys(saved)
    .map((key) => options.get(key))
    .filter((option) => option !== undefined && !option.secret);
  return Object.fromEntries(known.map((option) => [option!.key, option!.is_set ? option!.value : null]));
}
