import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import type { Options } from './setting-api.ts';
import { settingGroups } from './setting-groups.ts';
import type { Drafts } from './use-drafts.ts';
import { useShownValue } from './use-shown-value.ts';

interface Props {
  options: Options;
  drafts: Drafts;
  onShow: (key: string) => void;
  onClose: () => void;
}

/** All unsaved changes with old and new values. */
export function UnsavedChangesDialog({ options, drafts, onShow, onClose }: Props) {
  const { t } = useTranslation(['setting', 'settingNames', 'shared']);
  const shown = useShownValue();
  const fields = settingGroups.flatMap((group) => group.fields).filter(({ key }) => key in drafts.values);
  return (
    <Dialog
      title={t('shared:unsaved', { count: fields.length })}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t('shared:close')}</Button>}
    >
      <ul className="text-13">
        {fields.map((field) => {
          const option = options.get(field.key);
          const draft = drafts.values[field.key];
          if (!option || draft === undefined) return null;
          const next =
            draft === null
              ? t(option.secret ? 'willBeCleared' : 'willBeDefault')
              : option.secret
                ? t('secretNew')
                : shown(field, { value: draft, secret: false });
          return (
            <li key={field.key} className="border-t border-line py-2 first:border-t-0">
              <button
                type="button"
                className="touch font-title hover:text-accent"
                onClick={() => {
                  onClose();
                  onShow(field.key);
                }}
              >
                {t(`settingNames:${field.key}`)}
              </button>
              <p className="break-words text-text2">
                <span className="line-through">{shown(field, option)}</span> → <span className="text-text">{next}</span>
              </p>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
