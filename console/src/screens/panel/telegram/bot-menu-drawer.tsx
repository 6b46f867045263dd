import { botApi, botFormats, botMenuInput, LONGEST_BOT_TEXT, type BotMenuEntry } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useController, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import type * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { IconButton } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { botMenuEntryById, refreshBot } from './bot-api.ts';
import { MessagePreview } from './message-preview.tsx';

type Values = z.input<typeof botMenuInput>;
type Body = z.output<typeof botMenuInput>;

const resolver = contractResolver(botMenuInput);
const start: Values = { id: 0, command: '', description: '', parse_mode: 'MarkdownV2', reply_message: '' };
const formats = botFormats.map((value) => ({ value, label: value === 'html' ? 'HTML' : value }));

interface Props {
  edit: string;
  onRemove: (entry: BotMenuEntry) => void;
  onClose: () => void;
}

export function BotMenuDrawer({ edit, onRemove, onClose }: Props) {
  return (
    <RecordDrawer edit={edit} query={botMenuEntryById} create={<BotMenuForm onClose={onClose} />} onClose={onClose}>
      {(entry) => <BotMenuForm entry={entry} onRemove={onRemove} onClose={onClose} />}
    </RecordDrawer>
  );
}

interface FormProps {
  entry?: BotMenuEntry;
  onRemove?: (entry: BotMenuEntry) => void;
  onClose: () => void;
}

function BotMenuForm({ entry, onRemove, onClose }: FormProps) {
  const { t } = useTranslation('telegram');
  const client = useQueryClient();
  const form = useForm<Values, unknown, Body>({ resolver, defaultValues: entry ?? start, mode: 'onBlur' });
  const { control, handleSubmit, formState } = form;
  const { field: format } = useController({ control, name: 'parse_mode' });
  const [command, text] = useWatch({ control, name: ['command', 'reply_message'] });
  const save = useSaving(form, {
    send: (body: Body) => call(botApi.save, { body }),
    onSaved: (saved) => {
      onClose();
      toast.success(t('saved', { name: `/${saved.command}` }));
    },
    onSettled: () => refreshBot(client),
  });
  const mode = format.value ?? 'MarkdownV2';
  return (
    <EditDrawer
      title={t(entry ? 'edit' : 'add')}
      subtitle={
        entry && (
          <>
            <code className="font-mono">/{entry.command}</code>
            <span className="tabular-nums">#{entry.id}</span>
          </>
        )
      }
      aside={
        entry &&
        onRemove && (
          <IconButton label={t('remove')} icon={Trash2} className="text-bad!" onClick={() => onRemove(entry)} />
        )
      }
      changes={countDirty(formState.dirtyFields)}
      saveLabel={entry ? undefined : t('add')}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('command')} text={t('commandText')}>
        <FieldRow>
          <FormText control={control} name="command" label={t('command')} hint={t('commandHint')} mono maxLength={33} />
          <FormText control={control} name="description" label={t('description')} maxLength={256} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('reply')}>
        <div>
          <p className="mb-1.5 text-13 font-title">{t('format')}</p>
          <Segmented label={t('format')} value={mode} options={formats} onChange={format.onChange} />
        </div>
        <FormTextarea
          control={control}
          name="reply_message"
          label={t('message')}
          hint={mode === 'MarkdownV2' ? t('escapeHint') : mode === 'html' ? t('htmlHint') : undefined}
          aside={<span className="text-12 text-text2 tabular-nums">{`${text.length} / ${LONGEST_BOT_TEXT}`}</span>}
          rows={6}
          mono
          maxLength={LONGEST_BOT_TEXT}
        />
      </DrawerSection>
      <DrawerSection title={t('preview')}>
        <MessagePreview command={command.replace(/^\//, '')} text={text} format={mode} />
      </DrawerSection>
    </EditDrawer>
  );
}
