-- Reference data, the same for every tenant: which bank a bank code belongs to, as imported from a national registry.
create table banks (
  country      text not null check (country ~ '^[A-Z]{2}$'),
  bank_code    text not null check (bank_code ~ '^[A-Z0-9]{1,15}$'),
  bic          text check (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  name         text not null check (char_length(name) between 1 and 255),
  source       text not null,
  imported_at  timestamptz not null,
  primary key (country, bank_code)
);
