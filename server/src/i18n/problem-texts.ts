import type { Language } from '@relay-hub/contract';
import type * as z from 'zod/mini';

/** Unit of a limit: characters of text, entries of a list, or the number itself. */
type Measure = 'characters' | 'entries' | 'number';
type Kind = 'text' | 'number' | 'whole' | 'flag' | 'list' | 'object';

interface ProblemTexts {
  required: string;
  kinds: Record<Kind, string>;
  expected(kind: string): string;
  atLeast: Record<Measure, (limit: string) => string>;
  atMost: Record<Measure, (limit: string) => string>;
  above(limit: string): string;
  below(limit: string): string;
  multiple(of: string): string;
  oneOf(values: string): string;
  unknownKeys(keys: string): string;
  ignored(field: string): string;
  format: string;
  invalid: string;
}

const problemTexts: Record<Language, ProblemTexts> = {
  zh_CN: {
    required: '必填',
    kinds: { text: '文本', number: '数字', whole: '整数', flag: 'true 或 false', list: '列表', object: '对象' },
    expected: (kind) => `必须是${kind}`,
    atLeast: {
      characters: (limit) => (limit === '1' ? '不能为空' : `至少需要 ${limit} 个字符`),
      entries: (limit) => `至少需要 ${limit} 项`,
      number: (limit) => `不能小于 ${limit}`,
    },
    atMost: {
      characters: (limit) => `最多 ${limit} 个字符`,
      entries: (limit) => `最多 ${limit} 项`,
      number: (limit) => `不能大于 ${limit}`,
    },
    above: (limit) => `必须大于 ${limit}`,
    below: (limit) => `必须小于 ${limit}`,
    multiple: (of) => `必须是 ${of} 的倍数`,
    oneOf: (values) => `只能是以下之一：${values}`,
    unknownKeys: (keys) => `含有未知字段：${keys}`,
    ignored: (field) => `${field}：此请求不接受该字段，已忽略`,
    format: '格式不正确',
    invalid: '值无效',
  },
  zh_HK: {
    required: '必須填寫',
    kinds: { text: '文字', number: '數字', whole: '整數', flag: 'true 或 false', list: '列表', object: '物件' },
    expected: (kind) => `必須是${kind}`,
    atLeast: {
      characters: (limit) => (limit === '1' ? '不能留空' : `至少需要 ${limit} 個字元`),
      entries: (limit) => `至少需要 ${limit} 項`,
      number: (limit) => `不能小於 ${limit}`,
    },
    atMost: {
      characters: (limit) => `最多 ${limit} 個字元`,
      entries: (limit) => `最多 ${limit} 項`,
      number: (limit) => `不能大於 ${limit}`,
    },
    above: (limit) => `必須大於 ${limit}`,
    below: (limit) => `必須小於 ${limit}`,
    multiple: (of) => `必須是 ${of} 的倍數`,
    oneOf: (values) => `只可以是以下其中之一：${values}`,
    unknownKeys: (keys) => `含有未知欄位：${keys}`,
    ignored: (field) => `${field}：此請求不接受該欄位，已忽略`,
    format: '格式不正確',
    invalid: '數值無效',
  },
  en_US: {
    required: 'is required',
    kinds: {
      text: 'text',
      number: 'a number',
      whole: 'a whole number',
      flag: 'true or false',
      list: 'a list',
      object: 'an object',
    },
    expected: (kind) => `must be ${kind}`,
    atLeast: {
      characters: (limit) => (limit === '1' ? 'cannot be empty' : `must have at least ${limit} characters`),
      entries: (limit) => `must have at least ${limit} ${limit === '1' ? 'entry' : 'entries'}`,
      number: (limit) => `must be at least ${limit}`,
    },
    atMost: {
      characters: (limit) => `must have at most ${limit} characters`,
      entries: (limit) => `must have at most ${limit} ${limit === '1' ? 'entry' : 'entries'}`,
      number: (limit) => `must be at most ${limit}`,
    },
    above: (limit) => `must be greater than ${limit}`,
    below: (limit) => `must be less than ${limit}`,
    multiple: (of) => `must be a multiple of ${of}`,
    oneOf: (values) => `must be one of: ${values}`,
    unknownKeys: (keys) => `contains unknown fields: ${keys}`,
    ignored: (field) => `${field}: ignored, because this request does not change or use it`,
    format: 'has an invalid format',
    invalid: 'is invalid',
  },
  ja_JP: {
    required: '必須です',
    kinds: {
      text: '文字列',
      number: '数値',
      whole: '整数',
      flag: 'true または false',
      list: 'リスト',
      object: 'オブジェクト',
    },
    expected: (kind) => `${kind}で指定してください`,
    atLeast: {
      characters: (limit) => (limit === '1' ? '空にはできません' : `${limit} 文字以上にしてください`),
      entries: (limit) => `${limit} 件以上にしてください`,
      number: (limit) => `${limit} 以上にしてください`,
    },
    atMost: {
      characters: (limit) => `${limit} 文字以内にしてください`,
      entries: (limit) => `${limit} 件以内にしてください`,
      number: (limit) => `${limit} 以下にしてください`,
    },
    above: (limit) => `${limit} より大きくしてください`,
    below: (limit) => `${limit} より小さくしてください`,
    multiple: (of) => `${of} の倍数にしてください`,
    oneOf: (values) => `次のいずれかにしてください：${values}`,
    unknownKeys: (keys) => `不明な項目があります：${keys}`,
    ignored: (field) => `${field}：このリクエストでは使用されないため、無視しました`,
    format: '形式が正しくありません',
    invalid: '値が正しくありません',
  },
};

const kinds: Readonly<Record<string, Kind>> = {
  string: 'text',
  number: 'number',
  nan: 'number',
  int: 'whole',
  boolean: 'flag',
  array: 'list',
  tuple: 'list',
  object: 'object',
  record: 'object',
};

const measureOf = (origin: string): Measure =>
  origin === 'string' ? 'characters' : origin === 'array' || origin === 'set' ? 'entries' : 'number';

/**
 * Text for a validation issue; it follows the name of the field. Never falls back to zod's own message, which is English
 * only: a new issue code does not compile without a text.
 */
export function problemOf(issue: z.core.$ZodIssue, language: Language): string {
  const texts = problemTexts[language];
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return texts.required;
      const kind = kinds[issue.expected];
      return kind ? texts.expected(texts.kinds[kind]) : texts.invalid;
    }
    case 'too_small': {
      const limit = String(issue.minimum);
      const measure = measureOf(issue.origin);
      return issue.inclusive === false && measure === 'number' ? texts.above(limit) : texts.atLeast[measure](limit);
    }
    case 'too_big': {
      const limit = String(issue.maximum);
      const measure = measureOf(issue.origin);
      return issue.inclusive === false && measure === 'number' ? texts.below(limit) : texts.atMost[measure](limit);
    }
    case 'not_multiple_of':
      return issue.divisor === 1 ? texts.expected(texts.kinds.whole) : texts.multiple(String(issue.divisor));
    case 'invalid_value':
      return issue.input === undefined ? texts.required : texts.oneOf(issue.values.map(String).join(', '));
    case 'unrecognized_keys':
      return texts.unknownKeys(issue.keys.join(', '));
    case 'invalid_format':
      return texts.format;
    case 'invalid_key':
    case 'invalid_element': {
      const [inner] = issue.issues;
      return inner ? problemOf(inner, language) : texts.invalid;
    }
    case 'invalid_union':
      return issue.input === undefined ? texts.required : texts.invalid;
    case 'custom':
      return texts.invalid;
  }
}

/** Text for a field that was ignored. */
export const ignoredText = (field: string, language: Language): string => problemTexts[language].ignored(field);
