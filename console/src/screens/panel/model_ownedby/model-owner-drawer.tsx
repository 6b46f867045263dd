import {
  LAST_RESERVED_OWNER,
  modelOwnerApi,
  modelOwnerEdit,
  newModelOwner,
  siteApi,
  type ModelOwner,
} from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import type * as z from 'zod/mini';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useCloseIf } from '#list/record-drawer.tsx';
import { IconButton } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { IconPreview } from './icon-preview.tsx';

type Values = z.input<typeof newModelOwner>;
type Body = z.output<typeof newModelOwner>;

interface Props {
  edit: string;
  owners: readonly ModelOwner[];
  onRemove: (owner: ModelOwner) => void;
  onClose: () => void;
}

/** The form that the address names; closes if there is no such owner. */
export function ModelOwnerDrawer({ edit, owners, onRemove, onClose }: Props) {
  const owner = owners.find(({ id }) => String(id) === edit);
  const known = edit === 'new' || owner !== undefined;
  useCloseIf(!known, onClose);
  if (!known) return null;
  // A suggestion; the form lets the operator change it.
  const next = Math.max(LAST_RESERVED_OWNER, ...owners.map(({ id }) => id)) + 1;
  return <OwnerForm owner={owner} next={next} onRemove={onRemove} onClose={onClose} />;
}

interface FormProps {
  owner: ModelOwner | undefined;
  next: number;
  onRemove: (owner: ModelOwner) => void;
  onClose: () => void;
}

function OwnerForm({ owner, next, onRemove, onClose }: FormProps) {
  const { t } = useTranslation('modelOwner');
  const client = useQueryClient();
  const form = useForm<Values, unknown, Body>({
    resolver: contractResolver(owner ? modelOwnerEdit : newModelOwner),
    defaultValues: owner ?? { id: next, name: '', icon: '' },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaving(form, {
    send: (body: Body) => call(owner ? modelOwnerApi.update : modelOwnerApi.create, { body }),
    onSaved: (saved) => {
      onClose();
      toast.success(t(owner ? 'saved' : 'made', { name: saved.name }));
    },
    onSettled: () => refresh(client, siteApi.owners, siteApi.ownerMap),
  });
  return (
    <EditDrawer
      title={t(owner ? 'edit' : 'add')}
      subtitle={
        owner && (
          <>
            <span>{owner.name}</span>
            <span className="tabular-nums">#{owner.id}</span>
          </>
        )
      }
      aside={
        owner &&
        owner.id > LAST_RESERVED_OWNER && (
          <IconButton label={t('remove')} icon={Trash2} className="text-bad!" onClick={() => onRemove(owner)} />
        )
      }
      changes={countDirty(formState.dirtyFields)}
      saveLabel={owner ? undefined : t('add')}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('ownerTitle')} text={t('ownerText')}>
        <FieldRow>
          <FormNumber
            control={control}
            name="id"
            label={t('id')}
            whole
            disabled={owner !== undefined}
            hint={owner ? undefined : t('idHint')}
          />
          <FormText control={control} name="name" label={t('name')} maxLength={100} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('iconTitle')} text={t('iconText')}>
        <FormText control={control} name="icon" label={t('icon')} mono placeholder="https://" />
        <IconPreview
          control={control}
          onChoose={(icon) => form.setValue('icon', icon, { shouldDirty: true, shouldValidate: true })}
        />
      </DrawerSection>
    </EditDrawer>
  );
}
