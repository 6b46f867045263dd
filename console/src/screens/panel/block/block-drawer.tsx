import { blockApi, newBlock, type Block } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSaving } from '#domain/save/form-error.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FormExpiry } from '#ui/form/form-expiry.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { blockById, refreshBlocks } from './block-api.ts';
import { useBlockActions } from './use-block-actions.ts';

type Values = z.input<typeof newBlock>;
type Body = z.output<typeof newBlock>;

interface Props {
  edit: string;
  /** Values of a new block. */
  start: { network: string; reason: string };
  onClose: () => void;
}

export function BlockDrawer({ edit, start, onClose }: Props) {
  const create = <BlockForm values={{ ...start, expired_time: -1 }} onClose={onClose} />;
  return (
    <RecordDrawer edit={edit} query={blockById} create={create} onClose={onClose}>
      {(block) => <BlockForm block={block} values={block} onClose={onClose} />}
    </RecordDrawer>
  );
}

function BlockForm({ block, values, onClose }: { block?: Block; values: Values; onClose: () => void }) {
  const { t } = useTranslation('block');
  const client = useQueryClient();
  const { create } = useBlockActions();
  const form = useForm<Values, unknown, Body>({
    resolver: contractResolver(newBlock),
    defaultValues: { network: values.network, reason: values.reason, expired_time: values.expired_time },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaving(form, {
    send: (body: Body) => (block ? call(blockApi.update, { body: { id: block.id, ...body } }) : create(body)),
    onSaved: (saved) => {
      onClose();
      if (block) toast.success(t('saved', { network: saved.network }));
    },
    onSettled: () => refreshBlocks(client),
  });
  return (
    <EditDrawer
      title={t(block ? 'edit' : 'add')}
      subtitle={block && <span className="font-mono">{block.network}</span>}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={block ? undefined : t('add')}
      alwaysSave={!block}
      busy={save.isPending}
      onSave={handleSubmit((body) => save.mutate(body))}
      onClose={onClose}
    >
      <DrawerSection title={t('networkTitle')} text={t('networkText')}>
        <FormText
          control={control}
          name="network"
          label={t('network')}
          hint={t('networkHint')}
          placeholder="203.0.113.0/24"
          mono
        />
        <FormText control={control} name="reason" label={t('reason')} hint={t('reasonHint')} optional maxLength={200} />
      </DrawerSection>
      <DrawerSection title={t('endTitle')}>
        <FormExpiry control={control} name="expired_time" />
      </DrawerSection>
    </EditDrawer>
  );
}
