import { channelApi, type ChannelType } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Download, Minus, Plus } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { Note } from '#ui/feedback/note.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { compareModels } from './channel-models.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import type { PrivateAddress } from './private-address.tsx';

interface ModelPicksProps {
  title: string;
  action: string;
  names: readonly string[];
  kind: 'add' | 'remove';
  onPick: (names: readonly string[]) => void;
}

/** Number of names from which they can be searched. */
const many = 16;

/** Names to take one by one or all at once. */
function ModelPicks({ title, action, names, kind, onPick }: ModelPicksProps) {
  const { t } = useTranslation('channelForm');
  const [sought, setSought] = useState('');
  const shown = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const narrowed = shown.length < names.length;
  return (
    <div role="group" aria-label={title} className="rounded-control border border-line2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-1.5">
        <span className="font-title text-13">{title}</span>
        {names.length > many && (
          <input
            type="search"
            className="box h-7 min-h-0 max-w-44 flex-1 text-13 max-sm:h-10"
            aria-label={t('models.search')}
            placeholder={t('models.search')}
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        )}
        <Button size="sm" className="ml-auto" disabled={shown.length === 0} onClick={() => onPick(shown)}>
          {narrowed ? t(kind === 'add' ? 'models.addAll' : 'models.removeAll', { count: shown.length }) : action}
        </Button>
      </div>
      <ul className="flex max-h-36 flex-wrap gap-1.5 overflow-y-auto p-2">
        {shown.map((name) => (
          <li key={name} className="min-w-0">
            <button
              type="button"
              aria-label={t(kind === 'add' ? 'models.addOne' : 'models.removeOne', { name })}
              onClick={() => onPick([name])}
              className="inline-flex h-6 max-w-full items-center gap-1 rounded-tile border border-line2 px-2 text-12 text-text2 hover:bg-hover hover:text-text max-sm:h-10 max-sm:text-13 dark:hover:bg-fill"
            >
              <Icon of={kind === 'add' ? Plus : Minus} size={12} />
              <span className="truncate">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Props {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  type: ChannelType | undefined;
  /** 0 for a new channel; otherwise the stored key is used unless another is entered. */
  channelId: number;
  models: readonly string[];
  privacy: PrivateAddress;
  /** Further buttons to fill the list, in the same line. */
  children: ReactNode;
}

/** Fetches the provider's models and shows additions and removals; nothing changes until chosen. */
export function FetchModels({ form, type, channelId, models, privacy, children }: Props) {
  const { t } = useTranslation('channelForm');
  const button = useRef<HTMLButtonElement>(null);
  const fetched = useMutation({
    mutationFn: () =>
      savedOrRefused(
        form,
        () => call(channelApi.providerModels, { body: askedWith(form.getValues(), channelId) }),
        privacy.onRefused,
      ),
    meta: { quiet: true },
  });
  if (!type?.lists_models) return children;
  const ask = async () => {
    // The fields of the request must be valid before it is sent.
    const requestFields = ['type', 'key', 'base_url', 'other', 'proxy', 'model_headers'] as const;
    if (!(await form.trigger(requestFields, { shouldFocus: true }))) return;
    privacy.starts(() => fetched.mutate());
    fetched.mutate();
  };
  const set = (next: readonly string[]) =>
    form.setValue('models', [...new Set(next)].join(','), { shouldDirty: true, shouldValidate: next.length > 0 });
  /** Applying the last model removes the focused button. */
  const keepFocus = (left: number) => left === 0 && button.current?.focus();
  const offered = fetched.data;
  const { added, gone } = compareModels(models, offered ?? [], form.getValues('model_mapping'));
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button ref={button} icon={Download} busy={fetched.isPending} onClick={() => void ask()}>
          {t('models.fetch')}
        </Button>
        {children}
        <span role="status" className="text-13 text-text2">
          {offered &&
            !fetched.isPending &&
            t(added.length + gone.length > 0 ? 'models.offered' : 'models.same', { count: offered.length })}
        </span>
      </div>
      {fetched.error && !fetched.isPending && (
        <Note tone="bad" live>
          {fetched.error.message}
        </Note>
      )}
      {offered && added.length > 0 && (
        <ModelPicks
          title={t('models.new', { count: added.length })}
          action={t('models.addAll', { count: added.length })}
          names={added}
          kind="add"
          onPick={(names) => {
            set([...models, ...names]);
            keepFocus(added.length - names.length);
          }}
        />
      )}
      {offered && gone.length > 0 && (
        <ModelPicks
          title={t('models.gone', { count: gone.length })}
          action={t('models.removeAll', { count: gone.length })}
          names={gone}
          kind="remove"
          onPick={(names) => {
            set(models.filter((model) => !names.includes(model)));
            keepFocus(gone.length - names.length);
          }}
        />
      )}
    </>
  );
}

function askedWith(values: ChannelValues, id: number) {
  const { type, key, base_url, other, proxy, plugin, model_headers } = values;
  return { id, type: type ?? 0, key, base_url, other, proxy, plugin, model_headers };
}
