-- A made-up company: its database, and the sentences of its documents (the view facts). draw(least, most) gives a
-- random number, draw_name() a name that nobody bears; both follow the seed of make_company.
CREATE TABLE offices (
    office_id INTEGER PRIMARY KEY, name TEXT, city TEXT, opening_date DATE, number_of_counters INTEGER
);
CREATE TABLE products (
    product_id INTEGER PRIMARY KEY, name TEXT, kind TEXT, monthly_fee NUMERIC, annual_rate NUMERIC,
    notice_in_days INTEGER
);
CREATE TABLE advisers (
    adviser_id INTEGER PRIMARY KEY, name TEXT, speciality TEXT, joining_year INTEGER
);
CREATE TABLE postings (
    adviser_id INTEGER REFERENCES advisers (adviser_id), office_id INTEGER REFERENCES offices (office_id),
    starting_year INTEGER
);

CREATE TEMP TABLE numbers AS
WITH RECURSIVE counted (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM counted WHERE i < 12) SELECT i FROM counted;
INSERT INTO offices
SELECT i, draw_name(), draw_name(), date('1961-01-01', draw(0, 23000) || ' days'), draw(2, 90) FROM numbers;
INSERT INTO products
SELECT i, draw_name(), draw_name(), draw(100, 9999) / 100.0, draw(100, 9999) / 100.0, draw(2, 90) FROM numbers;
INSERT INTO advisers SELECT i, draw_name(), draw_name(), draw(1961, 2024) FROM numbers;
INSERT INTO postings SELECT i, 1 + (i + 2) % 12, draw(1961, 2024) FROM numbers;

CREATE TEMP TABLE company AS SELECT draw_name() AS bank;
CREATE TEMP VIEW posted AS
SELECT a.name AS adviser, o.name AS office,
    'Adviser ' || a.name || ' is posted to office ' || o.name || ' since year ' || starting_year || '.' AS sentence
FROM postings p JOIN advisers a ON a.adviser_id = p.adviser_id JOIN offices o ON o.office_id = p.office_id;
CREATE TEMP VIEW facts AS
SELECT 'office' AS kind, name, name || ' is an office of ' || bank || '.' AS sentence FROM offices, company
UNION ALL SELECT 'office', name, 'The city of the office ' || name || ' is ' || city || '.' FROM offices
UNION ALL SELECT 'office', name, 'The opening date of the office ' || name || ' is ' || opening_date || '.' FROM offices
UNION ALL SELECT 'office', name, 'The office ' || name || ' has ' || number_of_counters || ' counters.' FROM offices
UNION ALL SELECT 'office', office, sentence FROM posted
UNION ALL SELECT 'product', name, name || ' is a product of ' || bank || '.' FROM products, company
UNION ALL SELECT 'product', name, 'The product ' || name || ' is of the kind ' || kind || '.' FROM products
UNION ALL SELECT 'product', name,
    'The product ' || name || ' has a monthly fee of ' || printf('%g', monthly_fee) || '.' FROM products
UNION ALL SELECT 'product', name,
    'The annual rate of the product ' || name || ' is ' || printf('%g', annual_rate) || '.' FROM products
UNION ALL SELECT 'product', name,
    'The notice of the product ' || name || ' is ' || notice_in_days || ' days.' FROM products
UNION ALL SELECT 'adviser', name, name || ' is an adviser of ' || bank || '.' FROM advisers, company
UNION ALL SELECT 'adviser', name, 'The speciality of the adviser ' || name || ' is ' || speciality || '.' FROM advisers
UNION ALL SELECT 'adviser', name,
    'For the adviser ' || name || ', the joining year is ' || joining_year || '.' FROM advisers
UNION ALL SELECT 'adviser', adviser, sentence FROM posted;
