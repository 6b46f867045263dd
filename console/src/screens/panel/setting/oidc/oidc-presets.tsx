import { useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Select } from '#ui/form/select.tsx';
import type { SettingName } from '../setting-groups.ts';
import { showSetting } from '../show-setting.ts';
import type { Drafts } from '../use-drafts.ts';
import { presetField, type PresetName, presetNames, presets } from './presets.ts';

/** Fills issuer, scopes and claims for a common provider, and says where its values are found. */
export function OidcPresets({ drafts }: { drafts: Drafts }) {
  const { t } = useTranslation('settingTool');
  const id = useId();
  const [chosen, setChosen] = useState<PresetName | null>(null);
  const choose = (name: PresetName) => {
    setChosen(name);
    for (const [key, value] of Object.entries(presets[name].values))
      drafts.change(presetField(key as SettingName), value); // the keys are settings
    showSetting('OIDCIssuer');
  };
  return (
    <div className="border-b border-line px-5 py-2.5 max-sm:px-4">
      <div className="flex items-center gap-x-6 gap-y-2.5 max-sm:flex-wrap">
        <div className="min-w-0 flex-1 max-sm:basis-full">
          <label htmlFor={id}>{t('oidc.preset')}</label>
          <p id={`${id}-hint`} className="text-13/4.5 text-text2">
            {t('oidc.presetText')}
          </p>
        </div>
        <Select
          aria={{ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': undefined }}
          className="w-75 max-sm:w-full"
          value={chosen}
          placeholder={t('oidc.choose')}
          onChange={choose}
          options={presetNames.map((name) => ({ value: name, label: presets[name].name }))}
        />
      </div>
      {chosen && (
        <p className="mt-2 text-13/4.5 text-text2" role="status">
          {t(`oidc.hints.${chosen}`)}
        </p>
      )}
    </div>
  );
}
