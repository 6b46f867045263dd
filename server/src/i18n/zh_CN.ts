import type { ErrorCode } from '#errors.ts';

/** Texts of the refusals; the codes are the keys. `{name}` is a placeholder. Empty where the spec wants no text. */
export const zh_CN: Record<ErrorCode, string> = {
  'input.invalid': '{field}：{problem}',
  'input.not_json': '请求体不是有效的 JSON',
  'list.order': '{field}：不能按这一列排序',
  'body.too_large': '请求体超过 {limit}',
  'body.type': '请求体必须是 application/json',
  'request.cross_site': '拒绝来自其他网站的请求',
  'request.too_many': '请求过于频繁，请在 {seconds} 秒后再试',
  'route.unknown': '没有这个接口：{method} {path}',
  'session.none': '请先登录',
  'session.role': '当前账号没有权限执行此操作',
  'record.not_found': '记录不存在或已被删除',
  'record.exists': '{name} 已存在',
  'login.failed': '',
  'group.unknown': '用户分组 {name} 不存在或未启用',
  'group.forbidden': '当前账号不能使用用户分组 {name}',
  'group.in_use': '用户分组 {name} 仍被 {users} 个用户、{tokens} 个令牌、{channels} 个渠道使用',
  'group.default': '默认分组不能删除或停用',
  'token.expired': '令牌已过期，请先修改过期时间',
  'token.exhausted': '令牌额度已用尽，请先增加额度',
  'token.too_many': '每个账号最多 {limit} 个令牌',
  'channel.type_unknown': '没有编号为 {type} 的渠道类型',
  'channel.address_needed': '此渠道类型必须填写 API 地址',
  'channel.key_needed': '请填写密钥',
  'channel.test_model_needed': '请先设置测试模型',
  'channel.test_unsupported': '模型 {model} 不支持测试',
  'channel.models_unsupported': '此渠道类型不能获取模型列表',
  'channel.upstream_failed': '上游返回错误：{reason}',
  'option.unknown': '没有名为 {key} 的设置',
  'option.invalid': '{key}：{problem}',
  'quota.below_zero': '余额不足，不能扣到零以下',
  'server.failed': '服务器内部错误，请联系管理员',
};

/** Problems that the contract's own rules name. */
export const ruleTexts_zh_CN: Record<string, string> = {
  'model.no_comma': '模型名不能包含逗号',
  'model.wildcard': '* 只能放在末尾，且前面必须有内容',
  'json.text_map': '必须是值为文本的 JSON 对象',
  'address.http': '必须是 http:// 或 https:// 地址，不含用户名、参数和片段',
  'group.symbol': '只能使用字母、数字、下划线和连字符',
  'list.order': '不能按这一列排序',
  'text.nul': '不能包含空字符 (NUL)',
};
