import { useTranslation } from '#i18n/use-translation.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { dialects, modes } from '#domain/playground/playground-types.ts';
import { changeSettings, useSettings } from '#domain/playground/store/playground-store.ts';
import { usePlaygroundModels } from '#domain/playground/use-playground-models.ts';
import { ModelChooser } from './model-chooser.tsx';
import { AdvancedSetting, ChatParameters, NumberSetting, TextSetting } from './parameter-fields.tsx';

const sizes = {
  image: ['1024x1024', '1024x1536', '1536x1024', '1024x1792', '1792x1024', '512x512', '256x256'],
  video: ['1280x720', '720x1280', '1920x1080', '1080x1920', '1024x1024'],
};
const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse'];

/** Mode, models and parameters of the conversation. */
export function SettingsPanel() {
  const { t } = useTranslation('playground');
  const { mode, dialect, system, size, voice, advanced } = useSettings();
  const { models, isPending, error, retry } = usePlaygroundModels();
  return (
    <div className="flex flex-col gap-4">
      <Field label={t('mode')}>
        {(aria) => (
          <Select
            aria={aria}
            value={mode}
            options={modes.map((value) => ({ value, label: t(`modes.${value}`) }))}
            onChange={(value) => changeSettings({ mode: value, size: '' })}
          />
        )}
      </Field>
      <div>
        <p className="mb-1.5 text-13 font-title">{t('model')}</p>
        {error && models.length === 0 ? (
          <ErrorState text={error.message} onRetry={retry} />
        ) : models.length > 0 || isPending ? (
          <ModelChooser models={models} />
        ) : (
          <p className="text-13 text-text2">{t('noModels')}</p>
        )}
      </div>
      {mode === 'chat' && (
        <>
          <div>
            <p className="mb-1.5 text-13 font-title">{t('dialect')}</p>
            <Segmented
              label={t('dialect')}
              value={dialect}
              options={dialects.map((value) => ({ value, label: t(`dialects.${value}`) }))}
              onChange={(value) => changeSettings({ dialect: value })}
            />
          </div>
          <TextSetting label={t('system')} value={system} onChange={(value) => changeSettings({ system: value })} />
          <ChatParameters />
        </>
      )}
      {(mode === 'image' || mode === 'video') && (
        <>
          <Field label={t('size')}>
            {(aria) => (
              <Select
                aria={aria}
                value={size}
                options={[{ value: '', label: t('notSent') }, ...sizes[mode].map((value) => ({ value, label: value }))]}
                onChange={(value) => changeSettings({ size: value })}
              />
            )}
          </Field>
          <NumberSetting name={mode === 'image' ? 'count' : 'seconds'} />
          <AdvancedSetting value={advanced} />
        </>
      )}
      {mode === 'music' && <AdvancedSetting value={advanced} />}
      {mode === 'speech' && (
        <>
          <Field label={t('voice')}>
            {(aria) => (
              <Select
                aria={aria}
                value={voice}
                options={voices.map((value) => ({ value, label: value }))}
                onChange={(value) => changeSettings({ voice: value })}
              />
            )}
          </Field>
          <AdvancedSetting value={advanced} />
        </>
      )}
    </div>
  );
}
