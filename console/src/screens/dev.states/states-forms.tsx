import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormMoney, FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormPassword, FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { FieldRow } from '#ui/overlay/drawer-section.tsx';
import { Button } from '#ui/basic/button.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';

export const example = z.object({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(20)),
  password: z.string().check(z.minLength(8)),
  weight: z.int().check(z.gte(1)),
  quota: z.int().check(z.gte(0)),
  type: z.int(),
  models: z.string().check(z.minLength(1)),
  mapping: z.string(),
  stream: z.boolean(),
});

export const types = ['OpenAI', 'Anthropic Claude', 'Google Gemini', 'DeepSeek', 'Azure OpenAI', 'Mistral'].map(
  (label, value) => ({
    value,
    label,
    tile: <OwnerTile name={label} size={20} />,
  }),
);
const many = Array.from({ length: 24 }, (_, index) => `gpt-4.${index}`).join(',');
export const exampleValues = {
  name: '',
  password: '',
  weight: 0,
  quota: 12_500_000,
  type: 1,
  models: many,
  mapping: '{ "gpt-4-turbo": "gpt-4o" }',
  stream: false,
};

export function StatesForms() {
  const { control, handleSubmit } = useForm({
    resolver: contractResolver(example),
    defaultValues: exampleValues,
    mode: 'onBlur',
  });
  return (
    <form noValidate onSubmit={(event) => void handleSubmit(() => undefined)(event)} className="grid gap-4">
      <FieldRow>
        <FormText
          control={control}
          name="name"
          label="Name"
          placeholder="For example, prod-agent"
          hint="Shown in the log."
        />
        <FormSelect
          control={control}
          name="type"
          label="Type"
          options={types}
          hint="Sets the default address and models."
        />
        <FormSelect control={control} name="type" label="Type, searched" options={types} searchable />
      </FieldRow>
      <FieldRow>
        <FormNumber control={control} name="weight" label="Weight" whole />
        <FormMoney control={control} name="quota" label="Quota" />
        <FormPassword control={control} name="password" label="Password" autoComplete="new-password" />
      </FieldRow>
      <FieldRow>
        <FormChips control={control} name="models" label="Models" joined suggestions={['gpt-5', 'gpt-5-mini']} />
        <FormTextarea control={control} name="mapping" label="Model mapping" optional mono />
        <FormSwitch control={control} name="stream" label="Streamed calls only" hint="Others are refused." />
      </FieldRow>
      <div>
        <Button type="submit">Check the form</Button>
      </div>
    </form>
  );
}
