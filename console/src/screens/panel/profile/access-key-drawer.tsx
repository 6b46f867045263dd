import { accessKeyApi, accessScopes, newAccessKey, type AccessKey, type AccessScope } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useController, useForm, type Control } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSaving } from '#domain/save/form-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormExpiry } from '#ui/form/form-expiry.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';

type Values = z.input<typeof newAccessKey>;
type Body = z.output<typeof newAccessKey>;

interface Props {
  /** Undefined: a new key. */
  row: AccessKey | undefined;
  onMade: (key: string) => void;
  onClose: () => void;
}

export function AccessKeyDrawer({ row, onMade, onClose }: Props) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const form = useForm<Values, unknown, Body>({
    resolver: contractResolver(newAccessKey),
    defaultValues: {
      name: row?.name ?? '',
      scopes: row?.scopes ?? ['read'],
      addresses: row?.addresses ?? [],
      expired_time: row?.expired_time ?? -1,
    },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaving(form, {
    send: async (body: Body) =>
      row
        ? { access_key: await call(accessKeyApi.update, { params: { id: row.id }, body }), key: undefined }
        : call(accessKeyApi.create, { body }),
    onSaved: (saved) => {
      onClose();
      if (saved.key === undefined) toast.success(t('accessKeySaved', { name: saved.access_key.name }));
      else onMade(saved.key);
    },
    onSettled: () => refresh(client, accessKeyApi.list),
    // The answer holds the key.
    gcTime: 0,
  });
  return (
    <EditDrawer
      title={t(row ? 'accessKeyEdit' : 'accessKeyAdd')}
      subtitle={row && <span className="font-mono">{row.hint}</span>}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={row ? undefined : t('accessKeyAdd')}
      alwaysSave={!row}
      busy={save.isPending}
      onSave={handleSubmit((body) => save.mutate(body))}
      onClose={onClose}
    >
      <DrawerSection title={t('accessKeyName')} text={t('accessKeyNameText')}>
        <FormText control={control} name="name" label={t('accessKeyName')} hideLabel maxLength={60} />
      </DrawerSection>
      <DrawerSection title={t('scopes')} text={t('scopesText')}>
        <Scopes control={control} />
      </DrawerSection>
      <DrawerSection title={t('accessKeyLimits')}>
        <FormChips
          control={control}
          name="addresses"
          label={t('accessKeyAddresses')}
          hint={t('accessKeyAddressesHint')}
          placeholder="203.0.113.0/24"
          optional
        />
        <FormExpiry control={control} name="expired_time" />
      </DrawerSection>
    </EditDrawer>
  );
}

function Scopes({ control }: { control: Control<Values, unknown, Body> }) {
  const { t } = useTranslation('profile');
  const { field, fieldState } = useController({ control, name: 'scopes' });
  const message = useFieldMessage()(fieldState.error?.message);
  const toggle = (scope: AccessScope, on: boolean) =>
    field.onChange(on ? [...field.value, scope] : field.value.filter((each) => each !== scope));
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="sr-only">{t('scopes')}</legend>
      {accessScopes.map((scope) => (
        <label key={scope} className="flex items-start gap-2.5 text-14">
          <Checkbox
            checked={field.value.includes(scope)}
            onChange={(on) => toggle(scope, on)}
            onBlur={field.onBlur}
            className="mt-0.5"
          />
          <span>
            {t(`scope.${scope}`)}
            <span className="block text-13 text-text2">{t(`scopeText.${scope}`)}</span>
          </span>
        </label>
      ))}
      {message !== undefined && (
        <p role="alert" className="text-13 text-bad">
          {message}
        </p>
      )}
    </fieldset>
  );
}
