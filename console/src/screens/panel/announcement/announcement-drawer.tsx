import { announcementApi, languageCodes, newAnnouncement, perLanguage, type Announcement } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useController, useForm, useWatch, type Control } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useAllGroups } from '#api/all-groups.ts';
import { call } from '#api/call.ts';
import { useSite } from '#api/site.ts';
import { useSaving } from '#domain/save/form-error.ts';
import { languages } from '#i18n/languages.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormMoment } from '#ui/form/form-moment.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { announcementById, refreshAnnouncements } from './announcement-api.ts';

type Values = z.input<typeof newAnnouncement>;
type Body = z.output<typeof newAnnouncement>;

const noTexts = perLanguage(() => '');
const start: Values = {
  kind: 'notice',
  texts: noTexts,
  start_time: 0,
  end_time: 0,
  groups: [],
  languages: [],
  dismissible: true,
  mail: false,
};

interface Props {
  edit: string;
  onClose: () => void;
}

export function AnnouncementDrawer({ edit, onClose }: Props) {
  return (
    <RecordDrawer
      edit={edit}
      query={announcementById}
      create={<AnnouncementForm onClose={onClose} />}
      onClose={onClose}
    >
      {(row) => <AnnouncementForm row={row} onClose={onClose} />}
    </RecordDrawer>
  );
}

function AnnouncementForm({ row, onClose }: { row?: Announcement; onClose: () => void }) {
  const { t } = useTranslation('announcement');
  const client = useQueryClient();
  const form = useForm<Values, unknown, Body>({
    resolver: contractResolver(newAnnouncement),
    defaultValues: row ? valuesOf(row) : start,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const isMaintenance = useWatch({ control, name: 'kind' }) === 'maintenance';
  const groups = useAllGroups();
  const hasMail = useSite()?.mail === true;
  const save = useSaving(form, {
    send: ({ mail, ...body }: Body) =>
      row
        ? call(announcementApi.update, { body: { ...body, id: row.id } })
        : call(announcementApi.create, { body: { ...body, mail } }),
    onSaved: () => {
      onClose();
      toast.success(t(row ? 'saved' : 'made'));
    },
    onSettled: () => refreshAnnouncements(client),
  });
  return (
    <EditDrawer
      title={t(row ? 'edit' : 'add')}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={row ? undefined : t('publish')}
      alwaysSave={!row}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('whatTitle')}>
        <FormSelect
          control={control}
          name="kind"
          label={t('kind')}
          options={(['notice', 'maintenance'] as const).map((value) => ({ value, label: t(`kinds.${value}`) }))}
        />
        {isMaintenance && <Note tone="warn">{t('maintenanceText')}</Note>}
        <FieldRow>
          <FormMoment control={control} name="start_time" label={t('start')} hint={t('startHint')} optional />
          <FormMoment
            control={control}
            name="end_time"
            label={t('end')}
            hint={isMaintenance ? undefined : t('endHint')}
            optional={!isMaintenance}
          />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('textTitle')} text={t('textText')}>
        {languages.map(({ code, name }) => (
          <FormTextarea
            key={code}
            control={control}
            name={`texts.${code}`}
            label={name}
            optional
            rows={2}
            maxLength={2000}
          />
        ))}
      </DrawerSection>
      {!isMaintenance && (
        <DrawerSection title={t('audience')} text={t('audienceText')}>
          <FormChips
            control={control}
            name="groups"
            label={t('groups')}
            optional
            suggestions={groups.map(({ symbol }) => symbol)}
            strict
            placeholder={t('everyone')}
          />
          <Languages control={control} />
          <FormSwitch control={control} name="dismissible" label={t('dismissible')} hint={t('dismissibleHint')} />
        </DrawerSection>
      )}
      {!row && hasMail && (
        <DrawerSection title={t('mailTitle')}>
          <FormSwitch control={control} name="mail" label={t('mail')} hint={t('mailHint')} />
        </DrawerSection>
      )}
    </EditDrawer>
  );
}

/** Fields of the form only. */
const valuesOf = (row: Announcement): Values => ({
  kind: row.kind,
  texts: row.texts,
  start_time: row.start_time,
  end_time: row.end_time,
  groups: row.groups,
  languages: row.languages,
  dismissible: row.dismissible,
  mail: false,
});

function Languages({ control }: { control: Control<Values, unknown, Body> }) {
  const { t } = useTranslation('announcement');
  const { field } = useController({ control, name: 'languages' });
  const chosen = field.value ?? [];
  return (
    <fieldset>
      <legend className="mb-1.5 text-13 font-title">{t('languages')}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {languages.map(({ code, name }) => (
          <label key={code} className="flex min-h-8 cursor-pointer items-center gap-2 max-sm:min-h-10">
            <Checkbox
              checked={chosen.includes(code)}
              onChange={(on) =>
                field.onChange(languageCodes.filter((each) => (each === code ? on : chosen.includes(each))))
              }
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
